import PlugboardKit

/// A file that was read and looks like a shared object, and is not open yet.
struct Candidate {
    let path: String
    let object: SharedObject
    let sha256: String
    let identity: FileSnapshot.Identity

    /// Reads a path without links.
    init(path: String) throws(PlugboardError) {
        guard !path.hasSuffix(".la") else {
            throw PlugboardError(
                .loadingArchive,
                "\(path) is a libtool archive by its name, which can lead to any other file. Name the shared object.")
        }
        let snapshot = try FileSnapshot(path: path)
        self.path = path
        identity = snapshot.identity
        object = try SharedObject(path: path, bytes: snapshot.bytes)
        sha256 = SHA256.hexadecimal(of: snapshot.bytes)
    }

    /// Throws `loading.hash` unless the bytes are those that a pin names.
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
                "The plugin \(path) is not the file that was pinned: its sha256 is \(sha256), the configuration wants "
                    + "\(pin.lowercased()). If the file is meant to be new, change the pin.")
        }
    }

    /// Opens the file whose bytes were checked.
    ///
    /// Between the reading and the opening only root and this user can replace it, as `Trust` has made sure; what is
    /// guarded against is an update at that very moment. Opening /proc/self/fd/N would leave no such gap, but the
    /// system's loader would know the object by that name: `$ORIGIN` would be /proc/self/fd, debuggers would find
    /// nothing there, and the next file with the same N would be taken for this one. So the path is opened, and
    /// compared before and after.
    ///
    /// `note` is told, as soon as an object is in the process for good, the sha256 of its bytes; nil if that is not known.
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
