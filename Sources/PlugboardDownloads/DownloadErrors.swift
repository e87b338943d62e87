import PlugboardMessages
import PlugboardSystem

extension PlugboardError.Code {
    /// Another download writes the same file now.
    public static let downloadBusy: Self = "download.busy"
    /// The file's bytes do not have the digest that the caller or the server gave, or the size that the caller gave.
    public static let downloadDigest: Self = "download.digest"
    /// A file of this name exists, and is not to be replaced.
    public static let downloadExists: Self = "download.exists"
    /// A Metalink document cannot be read, or has no file that can be downloaded.
    public static let downloadMetalink: Self = "download.metalink"
    /// The server sent a part of a representation where the whole was requested.
    public static let downloadPart: Self = "download.part"
}

extension PlugboardError {
    /// The error of a system call that has just failed with `errno`.
    static func writing(_ path: String, _ number: Int32 = errno) -> PlugboardError {
        PlugboardError(
            .downloadWrite, "\(path) cannot be written.", underlying: systemText(number))
    }
}
