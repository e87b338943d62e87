import ArgumentParser
import Plugboard
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import PluginLoader

struct PluginsInspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect", abstract: "Shows a plugin's hooks, settings and commands.",
        discussion: """
            For a file, first shows what can be read without running it. Then, unless
            --metadata is given, loads it and shows the rest.

            EXAMPLES:
              plugboard plugins inspect redirect
              plugboard plugins inspect ./libacme_sign.so --metadata
              plugboard plugins inspect redirect --json
            """)

    @Argument(
        help: ArgumentHelp("The id of a linked plugin, or a file.", valueName: "id|path"),
        completion: PluginCompletion.plugins)
    var plugin: String
    @Flag(help: "Only reads the file; none of its code runs.") var metadata = false
    @Flag(help: "Writes JSON.") var json = false

    func run() throws {
        let report = PluginReport(file: try file(), descriptor: try descriptor())
        if json { return try ByteOutput.standard.write(report.json) }
        try ByteOutput.standard.write(report.text)
    }

    func validate() throws {
        if metadata && !isPath { throw ValidationError("--metadata needs a file; a linked plugin has no metadata.") }
    }

    /// A file in the working folder needs no slash, unless a linked plugin has its name.
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
        let near = Spelling.nearest(plugin, in: ids).map { " Did you mean \($0)?" } ?? ""
        throw CommandFailure(
            .usage, "No plugin \(plugin) is linked into this program, and no file \(plugin) exists.\(near)")
    }
}
