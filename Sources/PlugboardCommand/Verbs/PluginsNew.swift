import ArgumentParser
import Plugboard

struct PluginsNew: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "new", abstract: "Writes a small project for a plugin of your own.",
        usage: "plugboard plugins new <name> --language <language> [<options>]",
        discussion: """
            The project builds with one command and has a hook, two settings, a test that
            sends a request through the built plugin, a configuration, and a README with
            the next steps. Existing files are not overwritten.

            A plugin in Swift depends on Plugboard's package. --plugboard says where the
            package is: a folder, or the URL of a repository. Without it, the project uses
            the folder in which this command was built.

            EXAMPLES:
              plugboard plugins new sign-requests --language c
              plugboard plugins new sign-requests --language rust --id com.example.sign
              plugboard plugins new sign-requests --language swift --directory sign
              plugboard plugins new sign-requests --language swift \\
                  --plugboard https://example.com/plugboard.git
            """)

    @Argument(help: "Letters, digits and '-', as in sign-requests.") var name: String
    @Option(help: "The language.") var language: ScaffoldLanguage
    @Option(help: ArgumentHelp("The project's folder; without it, NAME.", valueName: "folder"), completion: .directory)
    var directory: String?
    @Option(help: ArgumentHelp("The plugin's id; without it, com.example.NAME.", valueName: "id")) var id: String?
    @Option(
        help: ArgumentHelp(
            "For Swift: the folder or URL of Plugboard's package.",
            valueName: "folder|url"))
    var plugboard: String?

    func run() throws {
        let project = try project()
        let folder = NewFolder(path: directory ?? name)
        try folder.add(project.files)
        let next = Table(rows: [
            ["  \(project.commands.build)", "builds \(project.object)"],
            ["  \(project.commands.test)", "sends a request through it"],
        ])
        try ByteOutput.standard.write(
            project.files.map { "\(folder.path)/\($0.path)\n" }.joined() + "\nNext, in \(folder.path):\n\(next.text)"
                + packageNote)
    }

    /// The note for a package that depends on a folder of this machine.
    private var packageNote: String {
        guard language == .swift, plugboard == nil else { return "" }
        return """

            Package.swift depends on the folder in which this command was built. To depend on a
            repository instead, use --plugboard URL.

            """
    }

    func validate() throws {
        if plugboard != nil && language != .swift {
            throw ValidationError("--plugboard is for --language swift only; other languages need no package.")
        }
        if directory == "" { throw ValidationError("--directory needs a folder.") }
    }

    private func project() throws(CommandFailure) -> NewProject {
        let name = try PluginName(name, taken: Catalog.bundled.ids)
        let id = try PluginID.checked(id ?? name.exampleID, taken: Catalog.bundled.ids)
        return NewProject(name: name, id: id, language: language, package: language == .swift ? try package() : nil)
    }

    private func package() throws(CommandFailure) -> PlugboardPackage {
        if let plugboard { return try PlugboardPackage(plugboard) }
        guard let package = PlugboardPackage.ofThisCommand() else {
            throw CommandFailure(
                .usage, "A plugin in Swift depends on Plugboard's package. Give its folder or URL with --plugboard."
            )
        }
        return package
    }
}
