import PlugboardMessages
import PlugboardSystem

/// Moves a complete file whose destination cannot be written.
extension PartialFile {
    /// Moves the file to another path. Copies it if it cannot be renamed, for example to another file system.
    ///
    /// - Parameter destination: The path that cannot be written, for the error message.
    func move(
        to fallback: String, replaces: Bool, instead destination: String
    ) async throws(PlugboardError) {
        do throws(PlugboardError) {
            try PartialFile.checkDestination(fallback)
            do throws(PlugboardError) {
                try put(at: fallback, replaces: replaces)
            } catch {
                if error.code == .downloadExists { throw error }
                try await copy(to: fallback, replaces: replaces)
                remove()
            }
        } catch {
            guard error.code == .downloadWrite else { throw error }
            throw stuck(
                "neither \(destination) nor \(fallback) can be written", underlying: error.underlying ?? error.reason)
        }
    }

    /// Copies the file to another path, where it also appears only when complete. If the process is killed, a usual
    /// partial file remains.
    func copy(to path: String, replaces: Bool) async throws(PlugboardError) {
        guard let journal else { throw .writing(path) }
        let copy = try await PartialFile.opened(path, claim)
        copy.trust = trust
        do throws(PlugboardError) {
            try copy.begin(
                journal.representation, url: journal.url, mirrors: Array(journal.urls), name: journal.name,
                announced: journal.announced)
            if let combination = journal.combination { try copy.combine(under: combination) }
            let (target, count) = (copy.file, count)
            let failed = await file.waiting { source in
                guard let number = PartialFile.copy(source, to: target.descriptor, count) else { return 0 }
                errno = number
                return -1
            }
            if let failed { throw .writing(copy.partial, failed) }
            try copy.put(at: path, replaces: replaces)
        } catch {
            copy.remove()
            throw error
        }
    }

    /// Copies the first bytes of a file to an empty file, and flushes them. Returns the system's error, or nil.
    private static func copy(_ source: Int32, to target: Int32, _ count: Int) -> Int32? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while offset < count {
            let read = pread(source, buffer.baseAddress, min(buffer.count, count - offset), off_t(offset))
            if read < 0 && errno == EINTR { continue }
            // The file is shorter than the received bytes.
            guard read > 0 else { return read < 0 ? errno : EIO }
            if let failed = writeAll(UnsafeRawBufferPointer(rebasing: buffer[..<read]), to: target, at: offset) {
                return failed
            }
            offset += read
        }
        return fsync(target) == 0 ? nil : errno
    }
}
