import ArgumentParser
import Plugboard

/// The options of sessions.
struct SessionArguments: ParsableArguments {
    @Option(
        name: .customLong("session"),
        help: ArgumentHelp(
            "Sends what this session keeps for the URL's origin, and keeps the cookies, the fields of -H and the credentials "
                + "of this request for later ones. Enables the plugin cookies.", valueName: "name"))
    var name: String?
    @Option(
        name: .customLong("session-read-only"),
        help: ArgumentHelp("The same, but the session stays as it is.", valueName: "name"))
    var readOnlyName: String?

    func validate() throws {
        if name != nil && readOnlyName != nil {
            throw ValidationError("Give --session or --session-read-only, not both.")
        }
        guard let name = name ?? readOnlyName else { return }
        // The parser shows errors of other types as they are.
        do { try SessionFolder.check(name) } catch { throw ValidationError(error.message ?? "") }
    }

    /// Opens the session, which replaces that of an earlier request, and enables the plugins that it needs.
    ///
    /// - Parameter isDry: Whether nothing is sent. A session that does not exist is then not made.
    func enable(
        in configuration: inout Configuration, _ cookies: CookieArguments, isDry: Bool
    ) throws(CommandFailure) {
        Session.end()
        guard let name = name ?? readOnlyName else { return }
        guard !cookies.needsPlugin else {
            throw CommandFailure(.usage, "A session has its own cookies: leave files of --cookie and --cookie-jar out.")
        }
        if isDry, readOnlyName == nil, !SessionFolder.names(configuration.kernel).contains(name) {
            return try CookieArguments.enable(for: "--session", in: &configuration) { settings in
                settings["persistence"] = "memory"
                settings["path"] = nil
            }
        }
        let session = try Session(name, isReadOnly: readOnlyName != nil, configuration.kernel)
        try SessionArguments.enableCookies(of: session.folder, in: &configuration)
        if session.hasCredentials { try configuration.switchOn("authentication", for: "--session") }
    }

    /// Enables the plugin cookies with the session's file.
    static func enableCookies(
        of folder: SessionFolder, in configuration: inout Configuration
    ) throws(CommandFailure) {
        try CookieArguments.enable(for: "--session", in: &configuration) { settings in
            settings["persistence"] = "file"
            settings["path"] = .string(folder.cookies)
            settings["sessionCookies"] = "keep"
        }
    }

    /// Keeps the cookies of responses out of a session that is only read.
    func add(to request: inout Request) {
        if readOnlyName != nil { request.cookies.store = false }
    }
}
