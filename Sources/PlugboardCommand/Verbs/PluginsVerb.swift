import ArgumentParser

struct PluginsVerb: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plugins", abstract: "Shows and checks plugins, and helps to write new ones.",
        subcommands: [
            PluginsList.self, PluginsInspect.self, PluginsOrder.self, PluginsCheck.self, PluginsTest.self,
            PluginsNew.self,
            PluginsSDK.self, PluginsCheckAlone.self,
        ])
}
