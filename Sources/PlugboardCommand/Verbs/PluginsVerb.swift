import ArgumentParser

struct PluginsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Looks at plugins and their order, checks them, and helps to write new ones.",
        subcommands: [
            PluginsList.self, PluginsInspect.self, PluginsOrder.self, PluginsCheck.self, PluginsNew.self,
            PluginsSDK.self, PluginsCheckAlone.self,
        ])
}
