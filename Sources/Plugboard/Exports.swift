// The kernel, the names of what requests can say to the bundled plugins, and through `Catalog.bundled` those plugins.
@_exported import AuthenticationOptions
@_exported import CacheOptions
@_exported import CookiesOptions
@_exported import DecodeOptions
@_exported import LoggingOptions
@_exported import PlugboardCore
@_exported import RedirectOptions
@_exported import RetryOptions
