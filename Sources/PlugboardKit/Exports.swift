// What plugins and the kernel name together, with requests, responses, bodies, URLs and errors.
@_exported import PlugboardBorder
@_exported import PlugboardFieldValues
@_exported import PlugboardMessages
