import PlugboardKit

/// A file that was read and checked, and is not opened yet.
struct Candidate {
    let path: String
    let object: SharedObject
    let sha256: String
    let identity: FileSnapshot.Identity

    /// Reads the file at a path without links.
    init(path: String) throws(PlugboardError) {
        guard !path.hasSuffix(".la") else {
            throw PlugboardError(
                .loadingArchive,
                "\(path) is a libtool archive, which can name any other file. Name the shared object.")
        }
        let snapshot = try FileSnapshot(path: path)
        self.path = path
        identity = snapshot.identity
        object = try SharedObject(path: path, bytes: snapshot.bytes)
        sha256 = Bytes(snapshot.bytes).sha256
    }

    /// Throws `loading.hash` if the SHA-256 of the file differs from a pin.
    func check(pin: String?) throws(PlugboardError) {
        guard let pin else { return }
        guard pin.utf8.count == 64, pin.allSatisfy(\.isHexDigit) else {
            throw PlugboardError(
                .loadingHash,
                "The sha256 configured for the plugin \(path) is not 64 hexadecimal digits. `sha256sum` prints them.")
        }
        guard pin.lowercased() == sha256 else {
            throw PlugboardError(
                .loadingHash,
                "The plugin \(path) is not the pinned file: its sha256 is \(sha256), and the configuration demands "
                    + "\(pin.lowercased()). If the new file is intended, change the pin.")
        }
    }

    /// Opens the file whose bytes were checked.
    ///
    /// Between reading and opening only root and this user can replace the file, as `Trust` guarantees; the check
    /// before and after opening detects an update at that moment. Opening /proc/self/fd/N would avoid the gap, but then
    /// the system's loader would use that name: `$ORIGIN` would be /proc/self/fd, debuggers would not find the file,
    /// and the next file with the same N would be taken for this one.
    ///
    /// `note` gets the sha256 of the file as soon as the object is in the process permanently; nil if it is not known.
    func open(noting note: (_ sha256: String?) -> Void) throws(PlugboardError) -> ResidentObject {
        guard isUnchanged else { throw FileSnapshot.changed(path, "before it was opened") }
        try ResidentObject.bind(path)
        let isSame = isUnchanged
        note(isSame ? sha256 : nil)
        guard isSame else { throw FileSnapshot.changed(path, "while it was opened") }
        return try ResidentObject(path: path)
    }

    private var isUnchanged: Bool { FileSnapshot.Identity(path: path) == identity }
}
