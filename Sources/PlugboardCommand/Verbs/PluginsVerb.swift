import ArgumentParser

struct PluginsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Looks at plugins and their order.",
        subcommands: [
            PluginsList.self, PluginsInspect.self, PluginsOrder.self, PluginsCheck.self, PluginsCheckAlone.self,
        ])
}
