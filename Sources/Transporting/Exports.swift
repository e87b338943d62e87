// Code of a transport uses messages and a loop.
@_exported import EventLoop
@_exported import Messages
