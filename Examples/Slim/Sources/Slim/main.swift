import LoggingPlugin
import PlugboardCore
import RedirectPlugin
import RetryPlugin

let url = CommandLine.arguments.dropFirst().first ?? "https://example.com/"

let kernel = try Kernel(
    configuration: Configuration(plugins: ["logging", "redirect", "retry"]),
    catalog: Catalog([loggingPlugin(), redirectPlugin(), retryPlugin()]))
let response = try await kernel.send(Request(.get, url))
print(response.status, try await response.body.text())
await kernel.shutDown()
