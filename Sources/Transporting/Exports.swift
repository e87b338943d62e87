// Who writes a transport writes about messages, on a loop.
@_exported import EventLoop
@_exported import Messages
