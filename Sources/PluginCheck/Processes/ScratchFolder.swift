import Glibc
import PlugboardKit

/// The folder of one check, for the plugin's data.
struct ScratchFolder {
    let path: String

    /// Under `TMPDIR` or /tmp.
    init() throws(PlugboardError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        guard let template = strdup("\(parent)/plugboard-check-XXXXXX") else {
            throw PlugboardError(.checkSystem, "There is no memory for a check.")
        }
        defer { free(template) }
        guard mkdtemp(template) != nil else {
            throw PlugboardError(
                .checkSystem, "No folder can be made under \(parent) for a check.",
                underlying: String(cString: strerror(errno)))
        }
        path = String(cString: template)
    }

    /// Removes the folder with its contents, as far as possible.
    func remove() {
        ScratchFolder.empty(path)
        rmdir(path)
    }

    private static func empty(_ folder: String) {
        FolderEntries.each(of: folder) { name in
            let path = "\(folder)/\(name)"
            // `unlink` removes files and links, and fails for folders.
            if unlink(path) != 0 {
                empty(path)
                rmdir(path)
            }
        }
    }
}
