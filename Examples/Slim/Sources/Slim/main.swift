import PlugboardCore
import PlugboardLogging
import PlugboardRedirect
import PlugboardRetry

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/"

let kernel = try Kernel(plugins: [.logging, .redirect, .retry { $0.attempts = 5 }])
let response = try await kernel.send(Request(.get, url))
print(response.status, try await response.body.text())
await kernel.shutDown()
