// Requests, responses, bodies, URLs and errors: authors of plugins and programs share them.
@_exported import PlugboardMessages
