import ArgumentParser
import JSON
import Plugboard
import PluginLoader

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

struct PluginsInspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Says all that a plugin says of itself.",
        discussion: """
            Of a file, first what can be read without running it; then, unless --metadata
            is given, it is opened for its settings, attributes and commands.

            EXAMPLES:
              plugboard plugins inspect redirect
              plugboard plugins inspect ./libacme_sign.so --metadata
              plugboard plugins inspect redirect --json
            """)

    @Argument(help: ArgumentHelp("A linked plugin's id, or a file.", valueName: "id|path")) var plugin: String
    @Flag(help: "Reads the file only, and runs none of its code.") var metadata = false
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let report = PluginReport(file: try file(), descriptor: try descriptor())
        let output = ByteOutput.standard
        try output.write(
            json ? JSONText.write(report.json, isForTerminal: output.isTerminal) + "\n" : report.text)
    }

    func validate() throws {
        if metadata && !isPath { throw ValidationError("--metadata is for files; a linked plugin has none.") }
    }

    /// What lies in the working folder needs no slash, unless a linked plugin has that name.
    private var isPath: Bool {
        plugin.contains("/") || Catalog.bundled.descriptor(plugin) == nil && access(plugin, F_OK) == 0
    }

    private func file() throws -> PluginFile? {
        isPath ? try DynamicLoader.dynamic.inspect(PluginArguments.absolute(plugin)) : nil
    }

    private func descriptor() throws -> PluginDescriptor? {
        if metadata { return nil }
        if isPath { return try DynamicLoader.dynamic.load(PluginArguments.absolute(plugin), sha256: nil) }
        if let descriptor = Catalog.bundled.descriptor(plugin) { return descriptor }
        let ids = Catalog.bundled.ids
        let near = nearest(plugin, in: ids).map { " Did you mean \($0)?" } ?? ""
        throw CommandFailure(
            .usage, "No plugin \(plugin) is linked into this program.\(near) There is no such file here either.")
    }
}
