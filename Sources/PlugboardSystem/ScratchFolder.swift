/// A folder for temporary files. It is removed with its contents when the last reference is released.
package final class ScratchFolder: Sendable {
    /// The folder in which scratch folders are made: `TMPDIR`, or /tmp.
    package static var parent: String { environment("TMPDIR") ?? "/tmp" }

    /// The path of the folder.
    package let path: String

    /// Makes a folder with a random name that begins with `prefix`. Nil, with `errno`, if that is not possible.
    package init?(_ prefix: String) {
        var template = Array("\(ScratchFolder.parent)/\(prefix)XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { return nil }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    deinit { remove() }

    /// Removes the folder with its contents, as far as possible.
    package func remove() { ScratchFolder.remove(path) }

    private static func remove(_ path: String) {
        // `unlink` removes files and links, and fails for folders.
        guard unlink(path) != 0 else { return }
        for name in names(inFolder: path) { remove("\(path)/\(name)") }
        rmdir(path)
    }
}
