import Plugboard
import PlugboardKit
import PlugboardSystem

/// Runs all transfers of a command line of curl, one after another.
struct CurlRun {
    private let line: CurlLine
    /// The parsed options of groups, by their words.
    private var parsed: [[String]: CurlWords] = [:]

    init(_ line: CurlLine) { self.line = line }

    /// Runs the transfers and prints their failures. Throws the failure of the last transfer, without a message.
    mutating func run() async throws {
        // The last of all groups counts.
        if let file = line.groups.compactMap({ $0.values["stderr"] }).last { StandardError.redirect(to: file) }
        var transfers = TransferRun()
        for group in line.groups where try await run(group, &transfers) { break }
        try transfers.end()
    }

    /// Returns true if no further transfer may be made.
    private mutating func run(_ group: CurlGroup, _ transfers: inout TransferRun) async throws -> Bool {
        let words = try words(of: group)
        var configuration = try words.configuration()
        try words.arguments.connection.addProxyUser(to: &configuration)
        configuration.kernel.logLevel = words.output.verbose ? .debug : .error
        var catalog = Catalog.needed(by: configuration)
        let trace = try WireTrace(group)
        let writeOut = try group.values["write-out"].map { try WriteOut($0) }
        let wire = WireFacts(writeOut, group)
        WireOutput.add(
            to: &configuration, &catalog, isVerbose: words.output.verbose, showingSecrets: words.output.showSecrets,
            trace: trace, facts: wire)
        let isDry = group.values["print-definition"] != nil
        let first = transfers.count
        var input: CurlRequest.Input?
        return try await Kernel.whileRunning(configuration, catalog: catalog) { kernel in
            try await words.arguments.cookies.whileUsed(
                in: kernel, jar: nil, isDry: isDry, isQuiet: group.isQuiet
            ) {
                await transfers.run(group) { target, number in
                    let given = try input ?? CurlRequest.Input(group, words)
                    input = given
                    var transfer = try CurlTransfer(
                        group, words, given, target, number: number, isFirst: number == first)
                    (transfer.writeOut, transfer.wire) = (writeOut, wire)
                    return try await transfer.request.prints() ? nil : transfer.run(in: kernel)
                }
            }
        }
    }

    private mutating func words(of group: CurlGroup) throws -> CurlWords {
        let text = CurlWords.text(of: group)
        if let words = parsed[text] { return words }
        let words = try CurlWords.of(text)
        parsed[text] = words
        return words
    }
}

extension CurlTransfer {
    /// Perhaps reads a file of passwords, or asks for one. Blocks.
    ///
    /// - Parameter isFirst: Whether it is the first of its group.
    fileprivate init(
        _ group: CurlGroup, _ words: CurlWords, _ input: CurlRequest.Input, _ target: CurlTarget, number: Int,
        isFirst: Bool
    ) throws {
        let url = CurlURL.absolute(target.url, scheme: "http", isPathKept: group["path-as-is"])
        let place = try group.path(of: target, remoteName: CurlURL.fileName(of: url))
        if group["remote-header-name"], group["include"] || group["head"] {
            throw CommandFailure(.usage, "curl: -i and -J cannot be combined.")
        }
        let receiver = try ResponseReceiver(
            group, place, isFirst: isFirst, showingSecrets: words.output.showSecrets)
        self.init(
            request: try CurlRequest(group, words, input, url: target.url, upload: target.upload),
            receiver: receiver, number: number)
    }
}
