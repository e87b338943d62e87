// A program that a plugin is linked into, as the plugin's README says: sends one request through it.
//
//     linked CONFIGURATION URL
import PlugboardConfiguration
import PlugboardCore
import TryIt

let kernel = try Kernel(
    configuration: .file(CommandLine.arguments[1]), catalog: Catalog([try_it_LTX_plugboard_plugin()]))
let response = try await kernel.send(Request(.get, CommandLine.arguments[2]))
print(response.status)
await kernel.shutDown()
