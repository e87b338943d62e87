import Foundation
import PlugboardCurl
import PlugboardTransport
import TestSupport
import Testing

/// Which attempts may use a connection that is kept.
@Suite(.enabled(if: NginxServer.isAvailable)) struct ConnectionRouteTests {
    @Test func `a kept connection serves attempts of the same route and trust only`() async throws {
        let server = try NginxServer.shared()
        let authority = server.authority
        func options(_ change: (inout RequestOptions) -> Void = { _ in }) -> RequestOptions {
            var options = RequestOptions()
            options.tls.ca = authority.certificate
            change(&options)
            return options
        }
        let port = server.port(.tlsHTTP1)
        // Another path is another authority, whatever is in the file.
        let folder = try TemporaryFolder()
        let bundle = folder.file("bundle.pem")
        try FileManager.default.copyItem(atPath: authority.certificate, toPath: bundle)
        let proxy = try LoopbackServer { connection in
            _ = try connection.readRequest()
            try connection.write("HTTP/1.1 200 OK\r\n\r\n")
            try connection.relay(to: port)
        }
        defer { proxy.stop() }
        let all = [
            options(), options { $0.tls.verify = false },
            options {
                $0.tls.ca = authority.selfSigned.certificate; $0.tls.verify = false
            },
            options {
                $0.tls.certificate = authority.client.certificate
                $0.tls.key = authority.client.key
            },
            options { $0.tls.pins = [authority.server.pin] },
            options { $0.tls.ca = bundle },
            options { $0.proxy = proxy.url("") },
            options { $0.connectTo = ["localhost:\(port)": "127.0.0.1:\(port)"] },
        ]
        let client = Client()
        let url = server.url("/connection", .tlsHTTP1, host: "localhost")

        var numbers: [Substring] = []
        var uses: [Substring] = []
        for options in all + all {
            let outcome = try await client.send(.get, url, options: options)
            let words = (outcome.text ?? "\(outcome.error as Any)").split { $0 == " " || $0 == "\n" }
            numbers.append(words[0])
            uses.append(words.count > 1 ? words[1] : "")
        }

        #expect(Set(numbers.prefix(all.count)).count == all.count, "\(numbers) \(uses)")
        #expect(Array(numbers.prefix(all.count)) == Array(numbers.suffix(all.count)), "\(numbers) \(uses)")
    }
}
