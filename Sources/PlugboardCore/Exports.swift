// Requests, responses, bodies, URLs and errors: programs get them with the kernel.
@_exported import Messages

@_exported import struct PlugboardKit.PluginEntry
