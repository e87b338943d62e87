import PlugboardDownloads
import PlugboardKit

/// A file of digests, as `sha256sum` and `sha512sum` write it, also with `--tag`.
struct ChecksumFile {
    private var digests: [String: ExpectedDigest] = [:]
    private let path: String

    init(_ path: String) throws(CommandFailure) {
        self.path = path
        let bytes = try path == "-" ? FileContents.ofStandardInput() : FileContents.bytes(of: path, for: "--checksums")
        for line in bytes.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            guard let (name, digest) = ChecksumFile.entry(String(decoding: line, as: UTF8.self)) else { continue }
            digests[ChecksumFile.last(of: name)] = digest
        }
        guard !digests.isEmpty else {
            throw CommandFailure(
                .usage, "--checksums \(path): no line has a SHA-256 or SHA-512 in hexadecimal digits and a name.")
        }
    }

    /// The digest of a file by the last part of its path.
    func digest(of file: String) throws(CommandFailure) -> ExpectedDigest {
        let name = ChecksumFile.last(of: file)
        if let digest = digests[name] { return digest }
        throw CommandFailure(.usage, "--checksums \(path): no line has the name \(Printable.text(name)).")
    }

    private static func last(of path: String) -> String {
        String(path.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
    }

    /// `DIGEST  name`, `DIGEST *name` or `SHA256 (name) = DIGEST`; nil for any other line.
    private static func entry(_ line: String) -> (name: String, digest: ExpectedDigest)? {
        if line.hasPrefix("SHA"), let open = line.firstIndex(of: "("), let close = line.lastIndex(of: ")"),
            open < close,
            let digest = ExpectedDigest(
                line[..<open].trimmed, line[line.index(after: close)...].drop { $0 == " " || $0 == "=" }.trimmed)
        {
            return (String(line[line.index(after: open)..<close]), digest)
        }
        guard let blank = line.firstIndex(of: " ") else { return nil }
        let value = String(line[..<blank])
        let name = line[line.index(after: blank)...].drop { $0 == " " }
        let algorithm = value.utf8.count == 64 ? "sha-256" : value.utf8.count == 128 ? "sha-512" : ""
        guard let digest = ExpectedDigest(algorithm, value) else { return nil }
        return (String(name.hasPrefix("*") ? name.dropFirst() : name), digest)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var rest = drop { $0 == " " }
        while rest.last == " " { rest.removeLast() }
        return String(rest)
    }
}
