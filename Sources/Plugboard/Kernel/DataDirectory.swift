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

    /// `FOLDER/ID`, made with mode 0700; nil if it cannot be. Blocks.
    func make(_ id: String) -> String? {
        guard let path = path(of: id) else { return nil }
        var made = ""
        for part in path.split(separator: "/", omittingEmptySubsequences: false) {
            made += made.isEmpty ? (part.isEmpty ? "/" : String(part)) : made.hasSuffix("/") ? String(part) : "/\(part)"
            if !made.isEmpty && made != "/" { mkdir(made, 0o700) }
        }
        return access(path, W_OK | X_OK) == 0 ? path : nil
    }

    /// By the XDG Base Directory Specification: `$XDG_STATE_HOME/plugboard` or `~/.local/state/plugboard`.
    private static var ofUser: String? {
        if let state = getenv("XDG_STATE_HOME").map({ String(cString: $0) }), state.hasPrefix("/") {
            return state + "/plugboard"
        }
        return getenv("HOME").map { String(cString: $0) + "/.local/state/plugboard" }
    }
}
