import Plugboard
import PluginLoader  // opens plugins that are shared objects

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/"

let kernel = try Kernel(configuration: .file("plugboard.json"), loader: .dynamic)
let response = try await kernel.send(Request(.get, url))
print(response.status, try await response.body.text())
await kernel.shutDown()
