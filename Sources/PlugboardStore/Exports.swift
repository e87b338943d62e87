// The table of the service, and the types of programs and plugins.
@_exported import CPlugboardStore
@_exported import PlugboardMessages
