import Plugboard
import PlugboardEndpoints

/// The public key of the URL's server is pinned: another key is refused, even if the certificate is valid.
struct Pinned: Endpoint {
    typealias Response = Void
    let path: String
    let key: String

    func prepare(_ request: inout Request) { request.options.tls.pins = [key] }
}

func pin(_ client: Client, _ server: String, _ key: String) async {
    for key in [key, "sha256//\(String(repeating: "A", count: 43))="] {
        do throws(PlugboardError) {
            try await client.send(Pinned(path: server, key: key))
            print("pinned: right")
        } catch {
            print("pinned: \(error.code)")
        }
    }
}

/// For tests only: an invalid certificate is refused, unless the request accepts any.
struct Trusting: Endpoint {
    typealias Response = Void
    let path: String
    let verify: Bool

    func prepare(_ request: inout Request) { request.options.tls.verify = verify }
}

func acceptAnyCertificate(_ client: Client, _ server: String) async {
    for verify in [true, false] {
        do throws(PlugboardError) {
            try await client.send(Trusting(path: server, verify: verify))
            print("not valid: accepted")
        } catch {
            print("not valid: \(error.code)")
        }
    }
}

/// Prints the log of requests, which a program can switch on, and switch off for some requests.
func log(_ server: String, isOn: Bool) async throws {
    let log = KernelLog(level: .info) { _, plugin, text in
        // Without the size and the time.
        print("\(plugin): \(text.split(separator: " ").prefix(4).joined(separator: " "))")
    }
    let kernel = try Kernel(plugins: isOn ? [.logging] : [], log: log)
    _ = try await kernel.send(Request(.get, "\(server)/ping")).body.text()
    var quiet = Request(.get, "\(server)/user")
    quiet.logging.isEnabled = false
    _ = try await kernel.send(quiet).body.text()
    await kernel.shutDown()
}
