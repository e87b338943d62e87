import PlugboardMessages

extension PlugboardError.Code {
    /// Another download writes the same file now.
    public static let downloadBusy: Self = "download.busy"
    /// The file's bytes do not have the digest that the caller or the server gave.
    public static let downloadDigest: Self = "download.digest"
    /// The server sent a part of a representation where the whole was requested.
    public static let downloadPart: Self = "download.part"
}

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension PlugboardError {
    /// The error of a function of the system, which has just failed with `errno`.
    static func writing(_ path: String, _ number: Int32 = errno) -> PlugboardError {
        PlugboardError(
            .downloadWrite, "\(path) cannot be written.", underlying: String(cString: strerror(number)))
    }
}
