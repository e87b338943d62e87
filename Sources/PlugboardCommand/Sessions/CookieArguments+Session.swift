import Plugboard

extension CookieArguments {
    /// Opens the session, which replaces that of an earlier request, and enables the plugins that it needs.
    ///
    /// - Parameter isDry: Whether nothing is sent. A session that does not exist is then not made.
    func enableSession(in configuration: inout Configuration, isDry: Bool) throws(CommandFailure) {
        Session.end()
        guard let name = session ?? readOnlySession else { return }
        guard !needsPlugin else {
            throw CommandFailure(.usage, "A session has its own cookies: leave files of --cookie and --cookie-jar out.")
        }
        if isDry, readOnlySession == nil, !SessionFolder.names(configuration.kernel).contains(name) {
            return try CookieArguments.enable(for: "--session", in: &configuration) { settings in
                settings["persistence"] = "memory"
                settings["path"] = nil
            }
        }
        let session = try Session(name, isReadOnly: readOnlySession != nil, configuration.kernel)
        try CookieArguments.enable(of: session.folder, in: &configuration)
        if session.hasCredentials { try configuration.switchOn("authentication", for: "--session") }
    }

    /// Enables the plugin cookies with the session's file.
    static func enable(of folder: SessionFolder, in configuration: inout Configuration) throws(CommandFailure) {
        try CookieArguments.enable(for: "--session", in: &configuration) { settings in
            settings["persistence"] = "file"
            settings["path"] = .string(folder.cookies)
            settings["sessionCookies"] = "keep"
        }
    }

    /// Keeps the cookies of responses out of a session that is only read.
    func addSession(to request: inout Request) {
        if readOnlySession != nil { request.cookies.store = false }
    }
}
