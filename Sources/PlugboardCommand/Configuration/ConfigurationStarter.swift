#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The configuration that `plugboard config init` writes.
enum ConfigurationStarter {
    static let text = """
        // The configuration of plugboard: JSON with comments and trailing commas.
        // "plugboard config check" reports what is wrong, "plugboard config show" shows what is in force,
        // "plugboard plugins list" names all plugins, and "plugboard plugins inspect ID" their settings.
        {
          "kernel": {
            "connectTimeout": "10s",
            // "timeout": "2m",  // a whole exchange, the end of the body included
            // "baseURL": "https://api.example.com/v1/",  // where URLs such as ./topics begin
          },

          // Which plugins take part, in any order.
          "plugins": [
            // Follows redirects.
            { "id": "redirect", "settings": { "limit": 10 } },

            // Asks for compressed responses, and decodes them.
            "decode",

            // Sends requests again after failures that pass, if their methods allow it.
            { "id": "retry", "settings": { "attempts": 3 } },

            // Keeps the cookies of servers, for later commands too.
            "cookies",
          ],

          // What requests to one origin say to plugins.
          "origins": {
            // "https://api.example.com": { "redirect": { "follow": false } },
          },
        }

        """

    /// Writes the file, which only its owner can read, and makes its folders. Never replaces a file unless told to.
    static func write(to path: String, replaces: Bool) throws(CommandFailure) {
        var end = path.startIndex
        while let slash = path[end...].dropFirst().firstIndex(of: "/") {
            mkdir(String(path[..<slash]), 0o700)
            end = slash
        }
        let draft = replaces ? "\(path).\(String(UInt64.random(in: 0 ... .max), radix: 36)).new" : path
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else {
            throw errno == EEXIST
                ? CommandFailure(.write, "\(path) exists already. Edit it (plugboard config edit), or write --force.")
                : CommandFailure(.write, "\(path) cannot be written: \(systemText(errno)).")
        }
        defer { close(file) }
        let number = Array(text.utf8).withUnsafeBytes { writeAll($0, to: file) }
        guard number == nil, !replaces || rename(draft, path) == 0 else {
            let number = number ?? errno
            unlink(draft)
            throw CommandFailure(.write, "\(path) cannot be written: \(systemText(number)).")
        }
    }
}
