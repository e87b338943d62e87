import PlugboardKit

/// What configurations, and programs in code, say to the plugin `decode`.
///
///     .decode { $0.limit = .mebibytes(64) }
public struct DecodeSettings: PluginSettings {
    @Setting("Content codings to ask for, the best first: gzip, deflate, br, zstd.")
    public var codings = ["gzip", "deflate", "br", "zstd"]
    @Setting("Decodes also what a request asked for by an Accept-Encoding of its own.")
    public var always = false
    @Setting("Bytes that a body may decode to; more breaks it. Empty: no limit.")
    public var limit: ByteCount? = nil
    @Setting("Times that a body may grow, from its second MiB on; more breaks it. 0: no limit.", in: 0...1_000_000)
    public var ratio = 1000

    /// All settings at their defaults.
    public init() {}
}
