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
        PrivateFile.makeFolders(of: path)
        try PrivateFile.write(
            Array(text.utf8), to: path, replaces: replaces,
            advice: "Edit it (plugboard config edit), or write --force.")
    }
}
