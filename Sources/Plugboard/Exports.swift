// The kernel, the bundled plugins, and the names of what requests and programs can say to them.
@_exported import AuthenticationPlugin
@_exported import CachePlugin
@_exported import CookiesPlugin
@_exported import DecodePlugin
@_exported import LoggingPlugin
@_exported import PlugboardCore
@_exported import RedirectPlugin
@_exported import RetryPlugin
