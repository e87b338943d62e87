import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardSystem

/// The options for cookies, as curl's `-b` and `-c`, and for sessions. Files have Netscape's format, `cookies.txt`.
///
/// If a file of cookies is given, the plugin `cookies` is enabled and stores its cookies in memory: the jar has only
/// the cookies of these files, and the plugin's own file is neither read nor written.
struct CookieArguments: ParsableArguments {
    @Option(
        name: [.customShort("b"), .customLong("cookie"), .customLong("load-cookies")],
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Cookies to send, 'a=1; b=2'; or without '=', a cookies.txt to read, - for standard input. Those of files are "
                + "sent first. A file that does not exist is empty, with a warning.", valueName: "data|file"))
    var sources: [String] = []
    @Option(
        name: [.customShort("c"), .customLong("cookie-jar")], parsing: .unconditional,
        help: ArgumentHelp(
            "Writes all cookies to a cookies.txt at the end, those of the session too; - is standard output.",
            valueName: "file"), completion: .file())
    var jar: String?
    @Option(
        help: ArgumentHelp(
            "Sends what this session keeps for the URL's origin, and keeps the cookies, the fields of -H and the credentials "
                + "of this request for later ones. Enables the plugin cookies.", valueName: "name"))
    var session: String?
    @Option(
        name: .customLong("session-read-only"),
        help: ArgumentHelp("Does what --session does without changing the session.", valueName: "name"))
    var readOnlySession: String?

    func validate() throws {
        if jar == "" { throw ValidationError("--cookie-jar needs a file.") }
        if session != nil && readOnlySession != nil {
            throw ValidationError("Give --session or --session-read-only, not both.")
        }
        guard let name = session ?? readOnlySession else { return }
        // The parser shows errors of other types as they are.
        do { try SessionFolder.check(name) } catch { throw ValidationError(error.message ?? "") }
    }

    private var data: [String] { sources.filter { $0.contains("=") } }
    var files: [String] { sources.filter { !$0.contains("=") } }
    /// Whether files hold the cookies, and not the plugin's own file.
    var needsPlugin: Bool { jar != nil || !files.isEmpty }
    /// Whether cookies are sent that files or a session hold.
    var usesJar: Bool { needsPlugin || (session ?? readOnlySession) != nil }

    /// Adds the cookies that are given as text, unchanged. Those of files and of a session are sent before them.
    func add(to request: inout Request) {
        if usesJar { request.cookies.always = true }
        guard !data.isEmpty, !request.fields.contains(.cookie) else { return }
        request.fields.append(.cookie, data.joined(separator: "; "))
    }

    func enable(in configuration: inout Configuration) throws(CommandFailure) {
        guard needsPlugin else { return }
        try CookieArguments.enable(for: jar == nil ? "--cookie" : "--cookie-jar", in: &configuration) { settings in
            settings["persistence"] = "memory"
            settings["path"] = nil
            // The files are the user's own, and so is --insecure.
            settings["acrossRoutes"] = true
        }
    }

    /// Enables the plugin, and changes its settings.
    static func enable(
        for option: String, in configuration: inout Configuration, _ change: (inout JSONObject) -> Void
    ) throws(CommandFailure) {
        var index = index(in: configuration)
        if index == nil {
            try configuration.switchOn(plugin, for: option)
            index = self.index(in: configuration)
        }
        guard let index else { return }
        configuration.plugins[index].isEnabled = true
        change(&configuration.plugins[index].settings)
    }

    /// Reads the files, does the work, and then writes the jar, also after a failure.
    ///
    /// - Parameters:
    ///   - jar: The plugin's jar, as a request's attribute `jarAttribute` names it.
    ///   - isDry: Whether nothing is sent. The jar then stays as it is.
    ///   - isQuiet: Whether no warnings are written.
    func whileUsed<Result>(
        in kernel: Kernel, jar: String?, isDry: Bool = false, isQuiet: Bool = false,
        isolation: isolated (any Actor)? = #isolation, _ work: () async throws -> Result
    ) async throws -> Result {
        try await read(into: kernel, jar: jar, isQuiet: isQuiet)
        let result: Result
        do {
            result = try await work()
        } catch {
            if !isDry { try? await write(from: kernel, jar: jar) }
            throw error
        }
        if !isDry { try await write(from: kernel, jar: jar) }
        return result
    }

    /// Reads the files. Call this before a request is sent.
    func read(into kernel: Kernel, jar: String?, isQuiet: Bool = false) async throws {
        for file in files where !file.isEmpty {
            var arguments: JSONObject = [:]
            switch InputArgument(path: file) {
            case .standardInput:
                let bytes = try InputArgument.standardInput.bytes(for: "--cookie")
                arguments["text"] = .string(String(decoding: bytes, as: UTF8.self))
            default:
                guard access(file, F_OK) == 0 || errno != ENOENT else {
                    // The first run with a jar begins with none.
                    if file != self.jar, !isQuiet {
                        StandardError.warn("\(file) does not exist, so no cookies are read from it")
                    }
                    continue
                }
                arguments["path"] = .string(file)
            }
            let reply = try await ask(kernel, "import", arguments, of: jar, .read)
            guard case .json(let text) = reply, let errors = try? JSONParser.parse(text)["errors"]?.arrayValue else {
                continue
            }
            for error in errors where !isQuiet {
                let line = error["line"]?.intValue ?? 0
                StandardError.warn("\(file), line \(line) is ignored: \(error["reason"]?.stringValue ?? "")")
            }
        }
    }

    private func write(from kernel: Kernel, jar: String?) async throws {
        guard let file = self.jar else { return }
        if file == "-" {
            guard case .body(let body) = try await ask(kernel, "export", [:], of: jar, .write) else { return }
            return try await BodyWriter(.standard, isForReaders: ByteOutput.standard.isTerminal).write(body)
        }
        _ = try await ask(kernel, "export", ["path": .string(file)], of: jar, .write)
    }

    static let plugin = "cookies"
    /// The attribute with which a request names a jar of the plugin.
    static let jarAttribute = "cookies.jar"

    private static func index(in configuration: Configuration) -> Int? {
        configuration.plugins.firstIndex { entry in
            entry.id == CookieArguments.plugin
                || entry.path != nil && configuration.descriptor(of: entry)?.id == CookieArguments.plugin
        }
    }

    /// Runs a command of the plugin for one of its jars.
    private func ask(
        _ kernel: Kernel, _ command: String, _ arguments: JSONObject, of jar: String?, _ status: ExitStatus
    ) async throws -> CommandReply {
        var arguments = arguments
        if let jar { arguments["jar"] = .string(jar) }
        do throws(PlugboardError) {
            return try await kernel.command(
                CookieArguments.plugin, command, JSONWriter.write(.object(arguments)))
        } catch {
            throw CommandFailure(status, error)
        }
    }
}
