// async-http-client, with the arguments and the output of the other clients, on one thread.
import AsyncHTTPClient
import NIOCore
import NIOPosix
import NIOSSL
import loading

@main struct Program {
    static func main() async throws {
        let arguments = Arguments(Array(CommandLine.arguments.dropFirst()))
        var configuration = HTTPClient.Configuration()
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = arguments.concurrency
        if let file = arguments.certificates {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(file)
            configuration.tlsConfiguration = tls
        }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let client = HTTPClient(eventLoopGroupProvider: .shared(group), configuration: configuration)
        let request = HTTPClientRequest(url: arguments.url)
        await Load(arguments) {
            let response = try await client.execute(request, timeout: .seconds(30))
            let body = try await response.body.collect(upTo: 1 << 20)
            return Received(status: Int(response.status.code), bytes: body.readableBytes)
        }.run()
        try await client.shutdown()
        try await group.shutdownGracefully()
    }
}
