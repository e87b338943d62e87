import PlugboardKit

/// A key that changes while the program runs: no configuration can hold it.
actor KeyStore {
    private var keys = ["k1"]

    func current() -> String { keys[keys.count - 1] }
}

/// Signs each attempt with the key of the moment.
struct Sign: PluginInstance {
    static let manifest = Manifest(id: "com.example.sign", version: "1.0.0", priority: 900, hooks: [.request])

    let keys: KeyStore

    func onRequest(_ exchange: borrowing Exchange) -> RequestVerdict {
        .wait {  // off the loop; the closure that it returns then decides on the loop
            let key = await keys.current()
            return { exchange in
                exchange.request["x-signature"] = "\(key):\(exchange.request.url.utf8.count)"
                return .next
            }
        }
    }
}
