import PlugboardKit

/// Sub-requests: asks a server for the key of each request.
struct KeyServer: Plugin {
    static let manifest = Manifest(
        id: "com.example.key-server", version: "1.0.0", documentation: "Asks a server for keys.", priority: 520,
        hooks: [.request])

    struct Settings: PluginSettings {
        @Setting("The URL that returns a key for a GET.", isRequired: true) var url = ""
    }
    let settings: Settings
    let host: PluginHost

    init(settings: Settings, host: PluginHost) {
        self.settings = settings
        self.host = host
    }

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        let (id, url, host) = (exchange.id, settings.url, host)
        return .wait {
            do throws(PlugboardError) {
                let response = try await host.send(Request(.get, url), for: id)
                guard response.head.status == 200 else { throw KeyServer.refused }
                let key = try await response.collect(upTo: .kibibytes(4)).text
                return { exchange in
                    // The key comes from outside: an invalid one fails this exchange, and is not a fault.
                    do throws(PlugboardError) {
                        try exchange.request.setField("X-Key", key)
                    } catch {
                        return .fail(error)
                    }
                    exchange.request.markSecret("X-Key")
                    return .next
                }
            } catch {
                return { _ in .fail(error) }
            }
        }
    }

    private static let refused = PlugboardError(
        "com.example.key-server.refused", "The server of keys gave none. Look at its log.")
}
