import PlugboardSystem

/// The Swift package `plugboard`, which plugins in Swift depend on.
enum PlugboardPackage: Equatable {
    case folder(String)
    case repository(String)

    /// A URL (`https://…`, `ssh://…`, `git@…`) or a folder, which must hold a package.
    init(_ text: String) throws(CommandFailure) {
        if text.contains("://") || text.hasPrefix("git@") {
            guard text.utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") && $0 != 0x5c }) else {
                throw CommandFailure(.usage, "--plugboard is not a URL of a repository.")
            }
            self = .repository(text)
        } else {
            guard let path = PlugboardPackage.resolved(text), PlugboardPackage.isPackage(path) else {
                throw CommandFailure(
                    .usage, "--plugboard \(text) is not the folder of Plugboard's package: it has no Package.swift.")
            }
            self = .folder(path)
        }
    }

    /// The repository that this command was built in, if it still exists.
    static func ofThisCommand() -> PlugboardPackage? {
        guard var path = resolved("/proc/self/exe")?[...] else { return nil }
        while let slash = path.lastIndex(of: "/"), slash != path.startIndex {
            path = path[..<slash]
            if isPackage(String(path)) { return .folder(String(path)) }
        }
        return nil
    }

    /// The dependency's line in a `Package.swift`. A plugin needs no trait, so that no other package is downloaded.
    var dependency: String {
        switch self {
        case .folder(let path): ".package(name: \"plugboard\", path: \(PlugboardPackage.literal(path)), traits: [])"
        case .repository(let url): ".package(url: \"\(url)\", from: \"\(Program.version)\", traits: [])"
        }
    }

    /// The package's name for targets: the last part of its URL, unless the dependency names it.
    var name: String {
        switch self {
        case .folder: return "plugboard"
        case .repository(let url):
            let end = url.split { $0 == "/" || $0 == ":" }.last ?? "plugboard"
            return String(end.hasSuffix(".git") ? end.dropLast(4) : end)
        }
    }

    private static func isPackage(_ folder: String) -> Bool {
        access("\(folder)/Package.swift", R_OK) == 0 && access("\(folder)/Sources/PlugboardKit", X_OK) == 0
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(validatingCString: resolved)
    }

    /// A string literal of Swift, for any path.
    private static func literal(_ path: String) -> String {
        "\"" + path.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }
}
