// Sends requests through the cache, repetitions and a mock, and leaves what was seen of them: a HAR, a metrics file in
// Prometheus's text format, and a page for browsers.
//
//     ExampleSeeing http://127.0.0.1:8080 mock.json FOLDER

import Plugboard

let (server, rules, folder) = (CommandLine.arguments[1], CommandLine.arguments[2], CommandLine.arguments[3])

var configuration = Configuration()
configuration.kernel.measureHooks = true  // so that the recorder has each hook of each plugin
let kernel = try Kernel(
    configuration: configuration,
    plugins: [
        .recorder, .telemetry { $0.prometheusPath = "\(folder)/metrics.prom" }, .decode, .redirect,
        .cache { $0.persistence = .memory }, .retry { $0.delay = .milliseconds(5) },
        .mock {
            $0.rules = rules
            $0.unmatched = .pass  // what no rule is for goes to the server
        },
    ])

let urls = [
    "\(server)/", "\(server)/hello?page=2&token=t0ken", "https://api.example.com/users/7",
    "https://api.example.com/users/7", "https://api.example.com/flaky", "https://img.example.com/dot.png",
    "https://api.example.com/missing", "https://api.example.com/down",
]
for url in urls {
    do {
        var request = Request(.get, url)
        request.fields.append("Authorization", "Bearer never-recorded")
        let response = try await kernel.send(request)
        print(response.status, try await response.body.collect(upTo: .mebibytes(1)).count, "bytes of", url)
    } catch {
        print(error.code, url)
    }
}
var order = Request(.post, "https://api.example.com/orders", body: .text(#"{"item": "lamp", "count": 2}"#))
order.fields.append(.contentType, "application/json")
order.recorder.label = "order"
print(try await kernel.send(order).status, order.url)

_ = try await kernel.command("recorder", "har", #"{"path": "\#(folder)/exchanges.har"}"#)
_ = try await kernel.command("recorder", "report", #"{"path": "\#(folder)/page.html"}"#)
await kernel.shutDown()  // writes the metrics once more
