import Plugboard

/// A host's public key is pinned: a server with another one is refused, although its certificate is valid.
func pin(_ server: String, _ authority: String, _ key: String) async throws {
    let other = "sha256//\(String(repeating: "A", count: 43))="
    for pins in [[other, key], [other]] {
        var configuration = Configuration()
        configuration.kernel.tls.ca = authority
        configuration.kernel.tls.pins = ["127.0.0.1": pins]
        let kernel = try Kernel(configuration: configuration)
        do throws(PlugboardError) {
            print("pinned: \(try await kernel.send(Request(.get, server)).status)")
        } catch {
            print("pinned: \(error.code)")
        }
        await kernel.shutDown()
    }
}

/// For tests only: a certificate that is not valid is refused, unless the kernel accepts any.
func acceptAnyCertificate(_ server: String) async throws {
    for verify in [true, false] {
        var configuration = Configuration()
        configuration.kernel.tls.verify = verify
        let kernel = try Kernel(configuration: configuration)
        do throws(PlugboardError) {
            print("not valid: \(try await kernel.send(Request(.get, server)).status)")
        } catch {
            print("not valid: \(error.code)")
        }
        await kernel.shutDown()
    }
}
