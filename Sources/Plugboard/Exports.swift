// The kernel, the bundled plugins, and the names of their attributes and commands.
@_exported import PlugboardAuthentication
@_exported import PlugboardCache
@_exported import PlugboardCodecs
@_exported import PlugboardControl
@_exported import PlugboardCookies
@_exported import PlugboardCore
@_exported import PlugboardDecode
@_exported import PlugboardIndicator
@_exported import PlugboardLogging
@_exported import PlugboardMock
@_exported import PlugboardQueue
@_exported import PlugboardRecorder
@_exported import PlugboardRedirect
@_exported import PlugboardResume
@_exported import PlugboardRetry
@_exported import PlugboardTelemetry
@_exported import PlugboardValidator
