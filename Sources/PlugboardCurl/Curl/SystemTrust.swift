import CPlugboardCurl
import PlugboardSystem

/// The certificates that the system trusts, in a form that libcurl reads once and not for each connection.
///
/// libcurl keeps the certificates of a file, but only where it is given no folder. On Debian it has both by default,
/// and parses some 140 certificates for each new connection. So it gets the file alone, and OpenSSL gets the folder,
/// where it looks for a certificate by its name.
///
/// Sendable because nothing changes the memory of `folder`.
struct SystemTrust: @unchecked Sendable {
    /// The path of the file, with `./` before its name. libcurl shares connections and kept certificates between equal
    /// paths, and a request with the same file as `tls.ca` must trust the file alone, without the folder.
    let file: String
    /// The path of the folder, in memory that is never freed.
    let folder: UnsafePointer<CChar>

    /// After how many seconds libcurl reads a file of certificates again. Its default is a day, for which a removed
    /// certificate would be trusted.
    static let patience = 60

    /// Nil where libcurl's defaults are left as they are: without a file or a folder, and for TLS libraries other than
    /// OpenSSL.
    static let current = SystemTrust()

    private init?() {
        guard TLSLibrary.isStrict, let info = ccurl_version(),
            info.pointee.age.rawValue >= CURLVERSION_SEVENTH.rawValue,
            let file = info.pointee.cainfo, let folder = info.pointee.capath, access(file, R_OK) == 0,
            let copy = strdup(folder)
        else { return nil }
        let path = String(cString: file)
        guard let slash = path.lastIndex(of: "/") else { return nil }
        self.file = path[...slash] + "./" + path[path.index(after: slash)...]
        self.folder = UnsafePointer(copy)
    }
}
