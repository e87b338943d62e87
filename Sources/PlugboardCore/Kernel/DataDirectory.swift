#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The folder under which each plugin, and the kernel, has its own: the configuration's, or the user's.
struct DataDirectory: Sendable {
    /// Nil for a user without a home.
    private let base: String?

    init(_ settings: KernelSettings) { base = settings.dataDirectory ?? DataDirectory.ofUser }

    /// `FOLDER/ID`, whether it is there or not.
    func path(of id: String) -> String? { base.map { "\($0)/\(id)" } }

    /// Whether it has been made before. Blocks.
    var isThere: Bool { base.map { access($0, W_OK | X_OK) == 0 } ?? false }

    /// What became of a folder.
    enum Folder {
        case made(String)
        /// It cannot be made or written to, and why; nil: there is none for it.
        case missing(String?)
        /// Others could change what is in it; and what to do.
        case refused(String)
    }

    /// `FOLDER/ID`, made with mode 0700. Blocks.
    func make(_ id: String) -> Folder {
        guard let path = path(of: id) else { return .missing(nil) }
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty ? (part.isEmpty ? "/" : String(part)) : made.hasSuffix("/") ? String(part) : "/\(part)"
            if !made.isEmpty && made != "/" { mkdir(made, 0o700) }
        }
        if let error = error(of: id) { return .refused(error) }
        return access(path, W_OK | X_OK) == 0
            ? .made(path)
            : .missing(
                "The data directory \(path) cannot be made or written to. Give the process's user that right, "
                    + "\(DataDirectory.advice)")
    }

    /// Why `make` would refuse the folder that exists; nil if it would not, or if no folder exists. Creates nothing.
    /// Blocks.
    func error(of id: String) -> String? {
        guard let base, let path = path(of: id) else { return nil }
        return DataDirectory.error(of: base, isOwn: false) ?? DataDirectory.error(of: path, isOwn: true)
    }

    private static let advice = "or set kernel.dataDirectory to another folder."

    /// Why a folder must not hold what is private; nil if it may, or is not there.
    /// - Parameter isOwn: whether the folder itself was to be made; a link to another folder is then refused, and so is a
    ///   sticky folder.
    private static func error(of path: String, isOwn: Bool) -> String? {
        var status = stat()
        guard (isOwn ? lstat(path, &status) : stat(path, &status)) == 0 else { return nil }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return "The data directory \(path) is no folder. Remove it, \(advice)"
        }
        // Of a sticky folder above, only owners replace entries; in a user namespace, the root it belongs to has no
        // number.
        if !isOwn && status.st_mode & S_ISVTX != 0 { return nil }
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            return
                "The data directory \(path) belongs to user \(status.st_uid), and this process to user \(geteuid()). "
                + "\(geteuid() == 0 ? "Run it without sudo," : "Chown it,") \(advice)"
        }
        let others = DataDirectory.isPrivate(group: status.st_gid) ? S_IWOTH : S_IWGRP | S_IWOTH
        guard status.st_mode & others == 0 else {
            return "The data directory \(path) can be written by others than its owner (mode "
                + "\(String(status.st_mode & 0o7777, radix: 8))). Take that right away (chmod go-w \(path)), \(advice)"
        }
        return nil
    }

    /// Whether a group holds this process's user alone: it is the process's, bears the user's name or lists the user,
    /// and lists no other. Systems with such groups make folders writable by them (umask 0002).
    private static func isPrivate(group id: gid_t) -> Bool {
        guard id == getegid(), let user = getpwuid(geteuid()), let group = getgrgid(id) else { return false }
        let name = String(cString: user.pointee.pw_name)
        var members: [String] = []
        var next = group.pointee.gr_mem
        while let member = next?.pointee {
            members.append(String(cString: member))
            next = next?.advanced(by: 1)
        }
        return members.allSatisfy { $0 == name } && (!members.isEmpty || String(cString: group.pointee.gr_name) == name)
    }

    /// By the XDG Base Directory Specification: `$XDG_STATE_HOME/plugboard` or `~/.local/state/plugboard`.
    private static var ofUser: String? {
        if let state = getenv("XDG_STATE_HOME").map({ String(cString: $0) }), state.hasPrefix("/") {
            return state + "/plugboard"
        }
        return getenv("HOME").map { String(cString: $0) + "/.local/state/plugboard" }
    }
}
