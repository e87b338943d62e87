// A program that uses endpoints needs the kernel and the codecs too.
@_exported import PlugboardCodecs
@_exported import PlugboardConfiguration
@_exported import PlugboardCore

@_exported import enum PlugboardCacheOptions.CacheKeyPart
@_exported import enum PlugboardCacheOptions.CacheMode
@_exported import struct PlugboardDownloads.Download
@_exported import enum PlugboardJSON.Shape
@_exported import struct PlugboardJSON.ShapeError
@_exported import struct PlugboardQueueOptions.QueuedRequest
