import PlugboardKit

/// The settings of the plugin `decode`, for configurations and for programs in code.
///
///     .decode { $0.limit = .mebibytes(64) }
public struct DecodeSettings: PluginSettings {
    /// The content codings to request, the preferred first: gzip, deflate, br, zstd.
    @Setting("The content codings to request, the preferred first: gzip, deflate, br, zstd.")
    public var codings = ["gzip", "deflate", "br", "zstd"]
    /// Also decodes responses to requests with an Accept-Encoding of their own.
    @Setting("Also decodes responses to requests with an Accept-Encoding of their own.")
    public var always = false
    /// The most bytes that a body may decode to; a larger body breaks. No limit without it.
    @Setting("The most bytes that a body may decode to; a larger body breaks. No limit without it.")
    public var limit: ByteCount? = nil
    /// The most times that a body may grow, from its second MiB on; a body that grows more breaks. 0 means no limit.
    @Setting(
        "The most times that a body may grow, from its second MiB on; a body that grows more breaks. 0 means no limit.",
        in: 0...1_000_000)
    public var ratio = 1000

    /// All settings at their defaults.
    public init() {}
}
