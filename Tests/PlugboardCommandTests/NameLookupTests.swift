import Foundation
import TestSupport
import Testing

/// A name server that never responds: `/etc/resolv.conf` names it in a mount namespace of the command.
@Suite(.enabled(if: mayMount, "a mount namespace needs root")) struct NameLookupTests {
    @Test func `a name look-up that hangs delays neither other requests nor the end`() async throws {
        let folder = try TemporaryFolder("resolver")
        let silent = try SilentNameServer()
        try folder.write("resolv.conf", "nameserver \(silent.address)\noptions timeout:10 attempts:2\n")
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "other") }
        defer { server.stop() }
        let lines = """
            {"id": "hangs", "url": "http://silent.test/", "timeout_ms": 300}
            {"id": "other", "url": "\(server.url())"}
            """
        try folder.write("lines", lines)

        let began = ContinuousClock.now
        let outcome = try await Command.shell(
            """
            exec unshare -m sh -c 'mount --bind "$folder/resolv.conf" /etc/resolv.conf &&
                exec "$plugboard" exec <"$folder/lines"'
            """, ["folder": folder.path])
        let took = ContinuousClock.now - began

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout.contains(#""kind":"timeout""#), "\(outcome.stdout)")
        #expect(
            outcome.stdout.contains(
                "silent.test did not end within 300ms, all attempts included: in attempt 1, the host's name was being"),
            "\(outcome.stdout)")
        #expect(outcome.stdout.contains(#""id":"other""#), "\(outcome.stdout)")
        // The resolver gives up after 20 seconds.
        #expect(took < .seconds(15))
        #expect(silent.wasAsked)
    }
}

private let mayMount = {
    let mount = ["unshare", "-m", "mount", "--bind", "/etc/hosts", "/etc/hosts"]
    return (try? ProcessRunner.run(mount))?.status == 0
}()

/// Receives queries on UDP port 53 of a loopback address, and never responds.
private final class SilentNameServer {
    let address: String
    private let descriptor: Int32

    init() throws {
        let number = UInt32.random(in: 1..<0xFFFF)
        address = "127.77.\(number >> 8).\(number & 0xFF)"
        descriptor = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(53).bigEndian
        address.sin_addr.s_addr = (127 << 24 | 77 << 16 | number).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0 else { throw SystemError.failed("bind \(address):53", errno) }
    }

    deinit { close(descriptor) }

    var wasAsked: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_DONTWAIT)) > 0
    }
}
