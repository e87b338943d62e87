// Requests, responses, bodies, URLs and errors: programs get them with the kernel.
@_exported import PlugboardMessages

// Every other type that the kernel's own declarations name, so that programs can name it without another import.
@_exported import struct CPlugboard.plug_plugin_v1
@_exported import struct PlugboardBorder.CommandDefinition
@_exported import enum PlugboardBorder.CommandReply
@_exported import struct PlugboardBorder.Hooks
@_exported import struct PlugboardBorder.Metric
@_exported import struct PlugboardBorder.OptionDefinition
@_exported import enum PlugboardBorder.OptionKind
@_exported import protocol PlugboardBorder.PluginCommands
@_exported import struct PlugboardBorder.PluginDescriptor
@_exported import struct PlugboardBorder.PluginEntry
@_exported import enum PlugboardBorder.Visit
@_exported import class PlugboardEventLoop.EventLoop
@_exported import class PlugboardEventLoop.LoopExecutor
@_exported import class PlugboardEventLoop.ManualClock
@_exported import struct PlugboardJSON.JSONNumber
@_exported import struct PlugboardJSON.JSONObject
@_exported import struct PlugboardJSON.JSONPath
@_exported import enum PlugboardJSON.JSONPathElement
@_exported import enum PlugboardJSON.JSONValue
@_exported import protocol PlugboardTransport.Transport
