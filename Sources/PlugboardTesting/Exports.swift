// A test of a plugin sends requests through a kernel, writes plugins that stand beside it, scripts a transport, and
// moves a clock.
@_exported import PlugboardCore
@_exported import PlugboardKit

@_exported import class EventLoop.ManualClock
