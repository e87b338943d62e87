// The features of Awesome-Networking with Plugboard: a program that starts while its server cannot be reached, reports
// this, and loses no request of its user meanwhile; bodies and serializers of all kinds; and control of calls.
//
// The plugin queue keeps such requests in a file. It sends them when the server can be reached: in this process, or in
// the next one that opens the file. A second run delivers the requests that were running when the first run ended.
//
//     ExampleAwesomeNetworking http://SERVER FILE
import Plugboard
import PlugboardEndpoints
import PlugboardPropertyList
import PlugboardProtobuf
import PlugboardXML

let arguments = CommandLine.arguments
guard arguments.count == 3 else {
    print("usage: ExampleAwesomeNetworking http://SERVER FILE")
    throw PlugboardError(.requestParameter, "Two arguments are needed.")
}
let kernel = try Kernel(plugins: [
    .queue {
        $0.path = arguments[2]
        // The probe must succeed before waiting requests are sent.
        $0.probe = "\(arguments[1])/probe"
        // The server will soon be available.
        $0.delay = .milliseconds(20)
        $0.delayLimit = .milliseconds(200)
    }
])
var settings = ClientSettings(base: arguments[1])
settings.codecs = [.json, .propertyList, .xml, .protobuf, .form, .text, .raw]
let client = Client(kernel: kernel, settings: settings)

let announcer = try announceChanges(of: kernel)
await probe(client)
if try await deliverEarlier(kernel) {
    announcer.cancel()
    await kernel.shutDown()
} else {
    try await actOffline(client)
    await probe(client)
    await controlOne(client)
    await cancel(client)
    await finish(client)
    try await sendBodies(client)
    try await readSerialized(client)
    try await readModel(client)
    try await saveProfile(client)
    // The program ends while this request is running, as if it were killed.
    try await follow(client)
}
