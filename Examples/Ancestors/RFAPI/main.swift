// What RFAPI was loved for, with Plugboard: requests defined in a file, with a DEFAULT that others refine, and called by
// name; callbacks, groups, messages for people, responses that are ignored, and aids for debugging.
//
//     ExampleRFAPI http://SERVER FILE
import Plugboard
import PlugboardEndpoints

var settings = ClientSettings(base: CommandLine.arguments[1])
settings.definitions = try .file(CommandLine.arguments[2])
settings.models.register(Topic.self)
settings.messages = messages
settings.judge = { outcome in outcome.response?["X-Nothing-New"] == nil ? outcome.verdict : .ignore }

let kernel = try Kernel(plugins: [.redirect])
let api = Client(kernel: kernel, settings: settings)

await listTopics(api)
await postReply(api)
await cancelGroup(api)
await ignore(api)
await reportFailures(api)
await debug(api)

await kernel.shutDown()
