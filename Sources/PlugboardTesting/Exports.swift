// Tests of plugins need the kernel, the kit for plugins of their own, and the clock.
@_exported import PlugboardConfiguration
@_exported import PlugboardCore
@_exported import PlugboardKit

@_exported import class PlugboardEventLoop.ManualClock
