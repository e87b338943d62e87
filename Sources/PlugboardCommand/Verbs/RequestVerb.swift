import ArgumentParser
import PlugboardKit

/// A verb that sends a request to each of its URLs and writes the bodies of the responses.
protocol RequestVerb: AsyncParsableCommand {
    var method: Method { get }
    var url: String { get }
    var methods: MethodArguments { get }
    var body: BodyArguments { get }
    var arguments: RequestArguments { get set }
    var output: OutputArguments { get set }
}

extension ArgumentHelp {
    static let url = ArgumentHelp(
        "An http or https URL; without a scheme, http. /path and ./path begin at kernel.baseURL.",
        valueName: "url")
}

extension RequestVerb {
    func run() async throws { try await TransferRun.run([self]) }

    /// Takes what counts for all requests wherever it stands: some of curl's options, and the configuration.
    fileprivate mutating func share(with others: [any RequestVerb]) {
        output.silent = others.contains { $0.output.silent }
        output.verbose = others.contains { $0.output.verbose }
        output.noProgressMeter = others.contains { $0.output.noProgressMeter }
        output.failEarly = others.contains { $0.output.failEarly }
        let plugins = others.map(\.arguments.plugins).first { !$0.isEmpty }
        if let plugins, arguments.plugins.isEmpty { arguments.plugins = plugins }
    }

    /// Sends the requests. Returns true if no further may be sent.
    fileprivate func send(_ transfers: inout TransferRun) async throws -> Bool {
        var group = try output.group(for: [url] + body.urls, isLiteral: methods.globoff)
        group.uploads = methods.uploadFiles
        guard group.uploads.count <= group.urls.count else {
            throw CommandFailure(.usage, "There are more files of -T than URLs. Give each URL one file.")
        }
        return try await Sending(arguments: arguments, output: output).run(method, methods, body, group, &transfers)
    }
}

extension TransferRun {
    /// Sends the requests of a command line, which `--next` separates. Throws the failure of the last one, without a
    /// message.
    static func run(_ verbs: [any RequestVerb]) async throws {
        var transfers = TransferRun()
        let all = verbs.map { verb in
            var verb = verb
            verb.share(with: verbs)
            return verb
        }
        for verb in all where try await verb.send(&transfers) { break }
        try transfers.end()
    }
}
