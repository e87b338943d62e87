import Glibc
import PlugboardKit

/// A folder of one check's own, where the plugin's data goes.
struct ScratchFolder {
    let path: String

    /// Under `TMPDIR` or /tmp.
    init() throws(PlugboardError) {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        guard let template = strdup("\(parent)/plugboard-check-XXXXXX") else {
            throw PlugboardError("check", "There is no memory for a check.")
        }
        defer { free(template) }
        guard mkdtemp(template) != nil else {
            throw PlugboardError(
                "check", "No folder can be made under \(parent) for a check.",
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
        guard let stream = opendir(folder) else { return }
        defer { closedir(stream) }
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard name != "." && name != ".." else { continue }
            let path = "\(folder)/\(name)"
            // A folder is no file to unlink; a link to one is.
            if unlink(path) != 0 {
                empty(path)
                rmdir(path)
            }
        }
    }
}
