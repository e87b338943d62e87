import ArgumentParser
import Plugboard
import PlugboardJSON

struct SessionShow: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Shows what a session keeps, without the secrets.",
        usage: "plugboard session show [<options>] <name>",
        discussion: """
            One line for each field, credential and cookie: the origin, or the cookie's
            domain; what it is; and its name. Values are not shown. Behind an origin, 'by'
            and 16 digits stand for a Unix socket or a target of --connect-to, and
            'unverified' for requests with --insecure.

            EXAMPLES:
              plugboard session show work
            """)

    @Argument(help: ArgumentHelp("The session.", valueName: "name")) var name: String
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    func run() async throws {
        let folder = try SessionFolder.existing(name, try plugins.configuration().kernel)
        var rows: [[String]] = []
        for (origin, part) in try folder.contents().parts.sorted(by: { $0.key < $1.key }) {
            rows += part.fields.map { [origin, "field", $0.name.text] }
            switch part.credential {
            case .basic(let user, _): rows.append([origin, "password", user])
            case .bearer: rows.append([origin, "token"])
            case nil: break
            }
        }
        rows += try await cookies(folder)
        try ByteOutput.standard.write(Table(rows: rows).text)
    }

    private func cookies(_ folder: SessionFolder) async throws -> [[String]] {
        var configuration = Configuration()
        try CookieArguments.enable(of: folder, in: &configuration)
        return try await Kernel.whileRunning(configuration) { kernel in
            func ask(_ command: String, _ arguments: JSONObject) async throws -> JSONValue? {
                let text: String = JSONWriter.write(.object(arguments))
                guard case .json(let reply) = try await kernel.command(CookieArguments.plugin, command, text) else {
                    return nil
                }
                return try? JSONParser.parse(reply)
            }
            var rows: [[String]] = []
            for jar in try await ask("stats", [:])?["jars"]?.objectValue?.keys ?? [] {
                for cookie in try await ask("list", ["jar": .string(jar)])?.arrayValue ?? [] {
                    let expiry = cookie["expires"]?.stringValue.map { "until \($0)" } ?? "of the session"
                    rows.append(
                        [cookie["domain"]?.stringValue ?? "", "cookie", cookie["name"]?.stringValue ?? "", expiry])
                }
            }
            return rows
        }
    }
}
