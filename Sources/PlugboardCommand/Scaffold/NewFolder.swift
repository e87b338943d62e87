import PlugboardSystem

/// A folder that files are written into. Everything blocks.
struct NewFolder {
    let path: String

    /// Writes all files, or none if one of them exists already; the error names those.
    func add(_ files: [NewFile]) throws(CommandFailure) {
        let present = files.map(\.path).filter { exists($0) }
        guard present.isEmpty else {
            throw CommandFailure(
                .write,
                "\(path) has \(present.joined(separator: ", ")) already, and nothing is overwritten. Choose another "
                    + "--directory, or move \(present.count == 1 ? "it" : "them") away.")
        }
        for file in files {
            try makeFolders(to: file)
            // Exclusive, because another process may have made it since.
            try write(file, to: "\(path)/\(file.path)", O_EXCL)
        }
    }

    /// Writes all files, and replaces existing ones. Each is replaced by renaming, so that no reader sees half of one.
    func replace(_ files: [NewFile]) throws(CommandFailure) {
        for file in files {
            try makeFolders(to: file)
            let target = "\(path)/\(file.path)"
            let beside = "\(target).\(getpid())"
            do throws(CommandFailure) {
                try write(file, to: beside, O_TRUNC)
                guard rename(beside, target) == 0 else { throw NewFolder.unwritable(target, errno) }
            } catch {
                unlink(beside)
                throw error
            }
        }
    }

    /// A link counts also if its target does not exist.
    private func exists(_ name: String) -> Bool {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0
    }

    private func makeFolders(to file: NewFile) throws(CommandFailure) {
        try NewFolder.make(above: "\(path)/\(file.path)")
    }

    /// Makes the folders on the path of a file that are missing.
    static func make(above path: String) throws(CommandFailure) {
        for slash in path.indices.dropFirst() where path[slash] == "/" {
            let folder = String(path[..<slash])
            // Not writable by others even where the umask would let them: plugins are not loaded from such folders.
            guard mkdir(folder, 0o755) == 0 || errno == EEXIST else { throw NewFolder.unwritable(folder, errno) }
        }
    }

    private func write(_ file: NewFile, to path: String, _ flag: Int32) throws(CommandFailure) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | flag, 0o644)
        guard descriptor >= 0 else { throw NewFolder.unwritable(path, errno) }
        let number = file.bytes.withUnsafeBytes { writeAll($0, to: descriptor) }
        guard close(descriptor) == 0, number == nil else { throw NewFolder.unwritable(path, number ?? errno) }
    }

    private static func unwritable(_ path: String, _ number: Int32) -> CommandFailure {
        CommandFailure(.write, "\(path) cannot be written: \(systemText(number)).")
    }
}
