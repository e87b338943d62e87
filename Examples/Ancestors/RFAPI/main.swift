// The features of RFAPI with Plugboard: requests defined in a file, by the server and in code, with a DEFAULT that
// others refine, and called by name; codecs, credentials and checks of each; callbacks, delegates, controls, groups,
// messages for people, responses that are ignored, and help for debugging.
//
//     ExampleRFAPI http://SERVER FILE
import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import PlugboardXML

let server = CommandLine.arguments[1]
let feed = IndicatorFeed()
let kernel = try Kernel(
    plugins: [
        .indicator { $0.terminal = "off" }, .redirect, .authentication, .validator,
        .cookies { $0.persistence = .memory },
    ], watch: { feed.receive($0) })

var settings = ClientSettings(base: server, cdn: "\(server)/cdn")
// Common to all requests that do not turn it off.
settings.fields["X-Device"] = "desk"
settings.parameters = ["lang": "en"]
settings.userInfo = ["screen": "list"]
settings.codecs = [.json, .propertyList, .xml, .protobuf, .form, .text, .raw]
settings.definitions = try .file(CommandLine.arguments[2])
settings.definitions = try await settings.definitions.merging(.url("\(server)/endpoints.json", by: kernel))
// Adds definitions of a property list.
let list = try await kernel.send(Request(.get, "\(server)/endpoints.plist")).body.collect(upTo: .mebibytes(1))
settings.definitions = try settings.definitions.merging(Definitions(PropertyList.json(from: list)))
// Adds a definition made in code.
settings.definitions.add(Definition("DropTopic", path: "topics/{id}", method: .delete))
settings.models.register(Topic.self)
settings.models.register(Theme.self)
settings.models.register("Headline", from: Topic.self) { Headline(text: "\($0.id). \($0.title)") }
// The messages of indicators are in the user's language, like those of errors.
settings.messages = messages
settings.requestAdapters = [
    RequestAdapter { request, _ in
        request.indicator.message = request.indicator.message.map { messages.text($0) ?? $0 }
    }
]
// Unwraps envelopes.
settings.responseHooks = [
    { outcome in
        if let data = (try? outcome.response?.json)?["data"] { outcome.response?.replaceBody(json: data) }
    }
]
settings.judge = { outcome in outcome.response?["X-Nothing-New"] == nil ? outcome.verdict : .ignore }
// Receives every error.
settings.errorHandler = { error, _ in error.response?.status == 401 ? nil : error }

let api = Client(kernel: kernel, settings: settings)

await listTopics(api)
await listHeadlines(api)
await listNews(api)
await postReply(api)
await dropTopic(api)
try await sendAny(api, server)
await sendBodies(api)
try await sendMore(api)
try await readSerialized(api)
try await showAccount(api, server)
await cancelGroup(api)
await controlOne(api)
await controlAll(api)
await useScreen(api)
await chooseExecutor(api)
await bindControls(api, feed)
await followStates(api, feed)
await uploadSticker(api)
await ignore(api)
await reportFailures(api)
await reportLogout(api)
await debug(api)

await kernel.shutDown()
