// What Awesome-Networking was loved for, with Plugboard: a program that starts while its server cannot be reached, says
// so, and goes on when it can.
//
// The plugin retry repeats what failed for want of a connection, as long as the program runs. Requests that are kept on
// disk until then, and survive the end of the program, do not exist yet.
//
//     ExampleAwesomeNetworking http://SERVER
import Plugboard
import PlugboardEndpoints

let kernel = try Kernel(plugins: [
    .retry {
        $0.attempts = 100
        $0.delay = .milliseconds(20)
        $0.delayLimit = .milliseconds(200)
        $0.budget = false  // one server, which is not there yet
    }
])
let client = Client(kernel: kernel, settings: ClientSettings(base: CommandLine.arguments[1]))

let announcer = try announceChanges(of: kernel)
await probe(client)
await actOffline(client)
await probe(client)

announcer.cancel()
await kernel.shutDown()
