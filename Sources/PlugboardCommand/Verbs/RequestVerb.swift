import ArgumentParser
import PlugboardKit

/// A verb that sends one request and writes the answer's body.
protocol RequestVerb: AsyncParsableCommand {
    var method: Method { get }
    var url: String { get }
    var arguments: RequestArguments { get }
}

extension RequestVerb {
    func run() async throws {
        try await Sending(method: method, url: url, arguments: arguments).run()
    }
}
