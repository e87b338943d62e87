// Requests, responses, bodies, URLs and errors: programs get them with the kernel.
@_exported import PlugboardMessages

// Every other type that the kernel's own declarations name, so that programs can name it without another import.
@_exported import struct CPlugboard.plug_plugin_v1
@_exported import class PlugboardEventLoop.LoopExecutor
@_exported import class PlugboardEventLoop.ManualClock
@_exported import struct PlugboardJSON.JSONNumber
@_exported import struct PlugboardJSON.JSONObject
@_exported import struct PlugboardJSON.JSONPath
@_exported import enum PlugboardJSON.JSONPathElement
@_exported import enum PlugboardJSON.JSONValue
@_exported import struct PlugboardKit.CommandDefinition
@_exported import enum PlugboardKit.CommandReply
@_exported import struct PlugboardKit.Hooks
@_exported import struct PlugboardKit.Metric
@_exported import struct PlugboardKit.OptionDefinition
@_exported import enum PlugboardKit.OptionKind
@_exported import protocol PlugboardKit.PluginCommands
@_exported import struct PlugboardKit.PluginDescriptor
@_exported import struct PlugboardKit.PluginEntry
@_exported import enum PlugboardKit.Visit
@_exported import struct PlugboardReachability.NetworkState
@_exported import class PlugboardReachability.Reachability
@_exported import protocol PlugboardTransport.Transport
