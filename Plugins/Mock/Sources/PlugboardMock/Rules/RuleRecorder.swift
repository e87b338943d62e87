import PlugboardKit
import PlugboardObserving
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Adds responses of the network to a file of rules: one rule for each method and URL, with the responses in their
/// order. Secrets are not stored. [any]
final class RuleRecorder: Sendable {
    private struct State {
        var rules: [JSONValue]
        /// The recorded rules' places in the list, by method and URL.
        var places: [String: Int] = [:]
        var size: Int
        var isChanged = false
        var isWriting = false
    }

    private let path: String
    private let host: PluginHost
    private let redaction: Redaction
    private let state: Mutex<State>
    private let writing = Mutex(())

    /// Reads the file, if there is one. Blocks.
    init(_ path: String, _ host: PluginHost) throws(PlugboardError) {
        (self.path, self.host) = (path, host)
        redaction = try Redaction()
        var (rules, size) = ([JSONValue](), 0)
        if RuleRecorder.exists(path) {
            let bytes = try RuleFile.bytes(of: path)
            rules = (try? JSONParser.parse(bytes))?["rules"]?.arrayValue ?? []
            size = bytes.count
        }
        state = Mutex(State(rules: rules, size: size))
    }

    /// Adds a response, unless it is the same as the one before it. Says in the log what it cannot add.
    func add(_ method: String, _ url: String, _ status: Int, _ fields: Fields, _ body: BodyCapture?) {
        let shown = redaction.url(url)
        func skip(_ reason: String) { host.log(.warning, "\(method) \(shown) is not recorded: \(reason).") }
        var response: JSONObject = ["status": .number(JSONNumber(status))]
        if let body, body.count > 0 || !body.isWhole {
            guard body.isWhole else { return skip("its body was not read to the end") }
            guard !body.isCut else { return skip("its body is longer than bodyLimit") }
            switch ShownBody(body, fields, redaction) {
            case .text(let text): response["text"] = .string(text)
            case .bytes(let bytes): response["base64"] = .string(Base64.encode(bytes))
            case .hidden: return skip("secrets in its body cannot be found, because it is encoded or has parts")
            }
        }
        var named: JSONObject = [:]
        for (name, value) in redaction.fields(fields)
        where !RuleRecorder.unkept.contains(FieldName(name)) && !value.contains(Redaction.mark) {
            // Rules have one value for a name.
            if named[name] == nil { named[name] = .string(value) }
        }
        if !named.isEmpty { response["fields"] = .object(named) }
        if !add(method, shown.replacing(Redaction.mark, with: "*"), .object(response)) {
            skip("\(path) would be larger than \(RuleFile.limit)")
        }
    }

    /// Whether there is something at the path.
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    /// Fields that describe the bytes on the network, which the file does not contain.
    private static let unkept: Set<FieldName> = [
        "Content-Encoding", "Content-Length", "Transfer-Encoding", "Connection", "Keep-Alive",
    ]

    /// False if the file would become too large.
    private func add(_ method: String, _ url: String, _ response: JSONValue) -> Bool {
        let added = (JSONWriter.write(response) as [UInt8]).count + url.utf8.count + 128
        let isFull = state.withLock { state in
            if state.size + added > RuleFile.limit.bytes { return true }
            let key = "\(method) \(url)"
            if let place = state.places[key], var rule = state.rules[place].objectValue {
                var responses = rule["responses"]?.arrayValue ?? []
                if responses.last == response { return false }
                responses.append(response)
                rule["responses"] = .array(responses)
                state.rules[place] = .object(rule)
            } else {
                state.places[key] = state.rules.count
                state.rules.append(
                    [
                        "request": ["method": .string(method), "url": .string(url)],
                        "responses": .array([response]),
                    ])
            }
            state.size += added
            state.isChanged = true
            return false
        }
        if !isFull { save() }
        return !isFull
    }

    /// Writes the file off the loop, unless that is under way; then it is written once more.
    private func save() {
        let isFirst = state.withLock { state in
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if isFirst, !host.runBlocking({ [self] in write() }) { state.withLock { $0.isWriting = false } }
    }

    /// Writes what has changed. Blocks.
    func write() {
        // One thread at a time, so that no older list replaces a newer one.
        writing.withLock { _ in
            while let rules = take() {
                let value: JSONValue = ["rules": .array(rules)]
                let text: [UInt8] = JSONWriter.write(value, options: JSONWriter.Options(pretty: true))
                do throws(PlugboardError) {
                    try WholeFile.save(text + [0x0A], to: path, code: .configuration)
                } catch {
                    host.log(.error, error.reason)
                }
            }
        }
    }

    /// The rules to write; nil if none has changed.
    private func take() -> [JSONValue]? {
        state.withLock { state in
            guard state.isChanged else {
                state.isWriting = false
                return nil
            }
            state.isChanged = false
            return state.rules
        }
    }
}
