import Plugboard

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/"
let keys = KeyStore()
let numbers = Numbers()

let kernel = try Kernel(
    plugins: [
        .redirect,
        .retry {
            $0.attempts = 5
            $0.delay = .milliseconds(50)
        },
        .linked(Sign(keys: keys)),
        .linked { settings, host in
            Stamp(numbers: numbers, settings: settings, host: host)
        } assigning: {
            $0.field = "x-number"
        },
        .hooks(
            "com.example.language", priority: 300,
            onRequest: { exchange in
                exchange.request["accept-language"] = "en"
                return .next
            }),
    ])
let response = try await kernel.send(Request(.get, url))
print(response.status, try await response.body.text())
for plugin in kernel.plugins { print(plugin.priority, plugin.id, plugin.locations.joined(separator: ", ")) }
await kernel.shutDown()
