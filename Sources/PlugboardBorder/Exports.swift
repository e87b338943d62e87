// Requests, responses, bodies, URLs and errors: what plugins and the kernel exchange.
@_exported import PlugboardMessages
