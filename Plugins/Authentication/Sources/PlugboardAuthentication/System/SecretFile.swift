import PlugboardAuthenticationOptions
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The content of a secret's file. Blocks: called off the loop only.
struct SecretFile: Sendable {
    /// The content without the newlines at its end.
    let text: String
    private let identity: Identity

    /// The values that differ when the file has changed.
    private struct Identity: Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int
        var seconds: Int
        var nanoseconds: Int
    }

    /// The most bytes that a secret may have.
    static let limit = 64 << 10

    /// Reads the file, unless it is the same as `known`.
    ///
    /// Throws `authentication.refresh` if it is missing, is not a regular file, is too large, or is not UTF-8.
    init(_ path: String, known: SecretFile? = nil) throws(PlugboardError) {
        // O_NONBLOCK, because opening a named pipe would block the thread without limit.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw .refresh("the file \(Printable.text(path)) cannot be opened (\(String(cString: strerror(errno))))")
        }
        defer { close(descriptor) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, information.st_mode & S_IFMT == S_IFREG else {
            throw .refresh("\(Printable.text(path)) is not a regular file")
        }
        identity = Identity(
            device: UInt64(information.st_dev), inode: UInt64(information.st_ino), size: Int(information.st_size),
            seconds: Int(information.st_mtim.tv_sec), nanoseconds: Int(information.st_mtim.tv_nsec))
        if let known, known.identity == identity {
            text = known.text
            return
        }
        var bytes = [UInt8](repeating: 0, count: Self.limit + 1)
        var count = 0
        while count < bytes.count {
            let got = bytes.withUnsafeMutableBytes { buffer in
                read(descriptor, buffer.baseAddress?.advanced(by: count), buffer.count - count)
            }
            if got < 0 && errno == EINTR { continue }
            guard got >= 0 else { throw .refresh("the file \(Printable.text(path)) cannot be read") }
            if got == 0 { break }
            count += got
        }
        guard count <= Self.limit else { throw .refresh("the file \(Printable.text(path)) is larger than 64 KiB") }
        guard let text = Self.withoutNewlines(bytes[..<count]) else {
            throw .refresh("the file \(Printable.text(path)) is not UTF-8")
        }
        self.text = text
    }

    /// The content of a file, or the output of a program, as a secret; nil if it is not UTF-8.
    static func withoutNewlines(_ bytes: ArraySlice<UInt8>) -> String? {
        var rest = bytes
        while rest.last == 0x0A || rest.last == 0x0D { rest.removeLast() }
        return String(validating: rest, as: UTF8.self)
    }
}
