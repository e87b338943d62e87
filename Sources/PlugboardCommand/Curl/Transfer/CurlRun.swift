import Plugboard
import PlugboardKit
import PlugboardSystem

/// Runs all transfers of a command line of curl, one after another.
struct CurlRun {
    private let line: CurlLine
    /// The parsed options of groups, by their words.
    private var parsed: [[String]: CurlWords] = [:]
    /// The transfers so far.
    private var count = 0
    private var failure: CommandFailure?

    init(_ line: CurlLine) { self.line = line }

    /// Runs the transfers and prints their failures. Throws the failure of the last transfer, without a message.
    mutating func run() async throws {
        // The last of all groups counts.
        if let file = line.groups.compactMap({ $0.values["stderr"] }).last { StandardError.redirect(to: file) }
        for group in line.groups where try await run(group) { break }
        if let failure { throw CommandFailure(failure.status, nil) }
    }

    /// Returns true if no further transfer may be made.
    private mutating func run(_ group: CurlGroup) async throws -> Bool {
        let words = try words(of: group)
        var configuration = try words.configuration()
        configuration.kernel.logLevel = words.output.verbose ? .debug : .error
        var catalog = Catalog.needed(by: configuration)
        let trace = try WireTrace(group)
        if words.output.verbose || trace != nil {
            WireOutput.add(
                to: &configuration, &catalog, showingSecrets: words.output.showSecrets, trace: trace)
        }
        let isDry = group.values["print-definition"] != nil
        var (ends, own) = (false, self)
        try await Kernel.whileRunning(configuration, catalog: catalog) { kernel in
            try await words.arguments.cookies.whileUsed(in: kernel, jar: nil, isDry: isDry) {
                ends = try await own.runAll(group, words, kernel)
            }
        }
        self = own
        return ends
    }

    private mutating func words(of group: CurlGroup) throws -> CurlWords {
        let text = CurlWords.text(of: group)
        if let words = parsed[text] { return words }
        let words = try CurlWords.of(text)
        parsed[text] = words
        return words
    }

    private mutating func runAll(_ group: CurlGroup, _ words: CurlWords, _ kernel: Kernel) async throws -> Bool {
        for (index, text) in group.urls.enumerated() {
            let pattern: URLPattern
            do throws(CommandFailure) {
                pattern = try URLPattern(text, isLiteral: group["globoff"])
            } catch {
                return note(error, group)
            }
            let upload = index < group.uploads.count ? group.uploads[index] : nil
            for part in 0..<pattern.count {
                let (url, values) = pattern.url(at: part)
                var result: CommandFailure?
                do {
                    let place = try group.place(index, url, upload, values)
                    let transfer = try transfer(group, words, url, upload, place)
                    if try await !transfer.request.prints() { result = try await transfer.run(in: kernel) }
                } catch {
                    result = CommandFailure(of: error)
                }
                count += 1
                if note(result, group) { return true }
            }
        }
        return false
    }

    /// Prints a failure. Returns true if no further transfer may be made.
    private mutating func note(_ result: CommandFailure?, _ group: CurlGroup) -> Bool {
        failure = result
        guard let result else { return false }
        if !group["silent"] || group["show-error"], let message = result.message { StandardError.say(message) }
        // A failure without a message is that of a reader that has gone.
        return group["fail-early"] || result.message == nil || [.interrupted, .usage].contains(result.status)
    }

    private func transfer(
        _ group: CurlGroup, _ words: CurlWords, _ url: String, _ upload: String?, _ place: String?
    ) throws -> CurlTransfer {
        if group["remote-header-name"], group["include"] || group["head"] {
            throw CommandFailure(.usage, "curl: -i and -J cannot be combined.")
        }
        let receiver = try ResponseReceiver(
            group, place, isFirst: count == 0, showingSecrets: words.output.showSecrets)
        return CurlTransfer(
            request: try CurlRequest(group, words, url: url, upload: upload),
            receiver: receiver, writeOut: try group.values["write-out"].map { try WriteOut($0) }, number: count)
    }
}

extension CurlGroup {
    /// The file for the response to the URL at this index; nil for standard output.
    fileprivate func place(
        _ index: Int, _ url: String, _ upload: String?, _ values: [String]
    ) throws(CommandFailure) -> String? {
        let output = index < outputs.count ? outputs[index] : self["remote-name-all"] ? .remoteName : nil
        let name: String
        switch output {
        case nil: return nil
        case .file(let text): name = URLPattern.name(text, with: values)
        case .remoteName:
            let absolute = CurlURL.absolute(url, scheme: "http", isPathKept: self["path-as-is"])
            guard let last = CurlURL.fileName(of: absolute) else {
                throw CommandFailure(.write, "curl: the URL has no name of a file for -O.")
            }
            name = last
        }
        if name == "-" { return name }
        return self.values["output-dir"].map { "\($0)/\(name)" } ?? name
    }
}
