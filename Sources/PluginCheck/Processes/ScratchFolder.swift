import Glibc
import PlugboardKit

/// A folder of one check's own, where the plugin's data goes.
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

    /// With all that is in it. Best effort: what is left is the system's to clean.
    func remove() {
        ScratchFolder.empty(path)
        rmdir(path)
    }

    private static func empty(_ folder: String) {
        FolderEntries.each(of: folder) { name in
            let path = "\(folder)/\(name)"
            // A folder is no file to unlink; a link to one is.
            if unlink(path) != 0 {
                empty(path)
                rmdir(path)
            }
        }
    }
}
