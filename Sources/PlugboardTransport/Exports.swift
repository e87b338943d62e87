// Code of a transport uses messages and a loop.
@_exported import PlugboardEventLoop
@_exported import PlugboardMessages
