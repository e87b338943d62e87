// URLSession of swift-corelibs-foundation, with the arguments and the output of the other clients.
@preconcurrency import Foundation
import FoundationNetworking
import loading

@main struct Program {
    static func main() async throws {
        let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = arguments.concurrency
        configuration.timeoutIntervalForRequest = 30
        configuration.urlCache = nil
        configuration.httpCookieStorage = nil
        let session = URLSession(configuration: configuration)
        guard let url = URL(string: arguments.url) else {
            fputs("not a URL: \(arguments.url)\n", stderr)
            exit(2)
        }
        await Load(arguments) {
            let (data, response) = try await session.data(from: url)
            return Received(status: (response as? HTTPURLResponse)?.statusCode ?? 0, bytes: data.count)
        }.run()
    }
}
