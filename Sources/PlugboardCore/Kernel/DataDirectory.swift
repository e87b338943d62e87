import PlugboardSystem

/// The folder that contains the folders of the plugins and of the kernel: the configuration's, or the user's.
package struct DataDirectory: Sendable {
    /// Nil for a user without a home.
    private let base: String?

    package init(_ settings: KernelSettings) { base = settings.dataDirectory ?? DataDirectory.ofUser }

    /// `FOLDER/ID`, whether it exists or not.
    package func path(of id: String) -> String? { base.map { "\($0)/\(id)" } }

    /// Whether the folder for all plugins exists and can be written to. Blocks.
    var isThere: Bool { base.map { access($0, W_OK | X_OK) == 0 } ?? false }

    /// The result of making a folder.
    package enum Folder {
        case made(String)
        /// It cannot be made or read, with the error; nil if there is no data directory.
        case missing(String?)
        /// Other users could change its contents; with the error, which says what to do.
        case refused(String)
    }

    /// `FOLDER/ID`, made with mode 0700. An existing folder may be read-only, because what it has can be used. Blocks.
    package func make(_ id: String) -> Folder {
        guard let path = path(of: id) else { return .missing(nil) }
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty ? (part.isEmpty ? "/" : String(part)) : made.hasSuffix("/") ? String(part) : "/\(part)"
            if !made.isEmpty && made != "/" { mkdir(made, 0o700) }
        }
        if let error = error(of: id) { return .refused(error) }
        return access(path, R_OK | X_OK) == 0
            ? .made(path)
            : .missing(
                "The data directory \(path) cannot be made or read. Give the process's user that right, "
                    + "\(DataDirectory.advice)")
    }

    /// Why `make` would refuse the folder that exists; nil if it would not, or if no folder exists. Creates nothing.
    /// Blocks.
    func error(of id: String) -> String? {
        guard let base, let path = path(of: id) else { return nil }
        return DataDirectory.error(of: base, isOwn: false) ?? DataDirectory.error(of: path, isOwn: true)
    }

    private static let advice = "or set kernel.dataDirectory to another folder."

    /// Why a folder must not hold private data; nil if it may, or does not exist.
    /// - Parameter isOwn: whether the folder itself was to be made; a link to another folder is then refused, and so is
    ///   a sticky folder.
    private static func error(of path: String, isOwn: Bool) -> String? {
        var status = stat()
        guard (isOwn ? lstat(path, &status) : stat(path, &status)) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return "The data directory \(path) is not a folder. Remove it, \(advice)"
        }
        let ownership = Ownership(status)
        // In a user namespace, the root user that owns /tmp has no number.
        if !isOwn && ownership.isSticky { return nil }
        switch ownership.flaw() {
        case nil: return nil
        case .owner:
            return
                "The data directory \(path) belongs to user \(status.st_uid), and this process to user \(geteuid()). "
                + "\(geteuid() == 0 ? "Run it without sudo," : "Chown it,") \(advice)"
        case .writable:
            return "The data directory \(path) can be written to by other users than its owner (mode "
                + "\(ownership.permissions)). Remove that permission (chmod go-w \(path)), \(advice)"
        }
    }

    /// The user's folder by the XDG Base Directory Specification: `$XDG_STATE_HOME/plugboard` or
    /// `~/.local/state/plugboard`.
    private static var ofUser: String? {
        if let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") {
            return state + "/plugboard"
        }
        return environment("HOME").map { $0 + "/.local/state/plugboard" }
    }
}
