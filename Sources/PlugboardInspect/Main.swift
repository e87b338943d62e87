import FlyingFox
import FlyingSocks
import Foundation
import Plugboard
import PlugboardSystem

/// `plugboard-inspect`: serves the page on which a browser shows recorded exchanges, until it is interrupted.
@main
enum Main {
    static func main() async {
        // A browser that goes away must not end the server.
        signal(SIGPIPE, SIG_IGN)
        do throws(PlugboardError) {
            let arguments = try InspectArguments(CommandLine.arguments.dropFirst())
            if let socket = arguments.socket {
                try await serve(try AttachedExchanges(socket), arguments.port)
            } else {
                try await serve(try await RecordedExchanges(arguments.file), arguments.port)
            }
        } catch {
            FileHandle.standardError.write(Data("plugboard-inspect: \(error.reason)\n".utf8))
            exit(error.code == .requestOption ? 2 : 1)
        }
    }

    private static func serve(_ source: any ExchangeSource, _ port: UInt16) async throws(PlugboardError) {
        let handler = InspectServer(source)
        do {
            let server = HTTPServer(
                config: HTTPServer.Configuration(
                    address: try sockaddr_in.inet(ip4: "127.0.0.1", port: port), timeout: 60, logger: .disabled),
                handler: handler)
            try await withThrowingTaskGroup(of: Bool.self) { group in
                group.addTask {
                    try await server.run()
                    return false
                }
                group.addTask {
                    try await server.waitUntilListening()
                    return true
                }
                while let isListening = try await group.next() {
                    if isListening { await announce(server, handler) }
                }
            }
        } catch {
            throw PlugboardError(
                .transportConnect,
                "Cannot listen on port \(port) of 127.0.0.1: \(error.localizedDescription). "
                    + "Choose another with --port.")
        }
    }

    private static func announce(_ server: HTTPServer, _ handler: InspectServer) async {
        guard case .ip4(_, let port)? = await server.listeningAddress else { return }
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(port)/\(handler.token)/\n".utf8))
        FileHandle.standardError.write(Data("Open this address in a browser. Ctrl-C ends the server.\n".utf8))
    }
}
