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
    /// The responses to one method and URL.
    private struct Recorded {
        /// The method and the URL without secrets.
        let request: JSONValue
        /// Whether the URL matches several texts.
        let isPattern: Bool
        var responses: [JSONValue]
    }

    private struct State {
        /// The rules that the file had at the start.
        let rules: [JSONValue]
        var recorded: [Recorded] = []
        /// The places in the list `recorded`, by method and URL as they were sent.
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
            let value = try RuleFile(path).value()
            rules = value["rules"]?.arrayValue ?? []
            size = RuleRecorder.text(value).count
        }
        state = Mutex(State(rules: rules, size: size))
    }

    /// Adds a response, unless it is the same as the one before it. Says in the log what it cannot add.
    ///
    /// - Parameter body: Nil adds the head only.
    func add(_ method: String, _ url: String, _ status: Int, _ fields: Fields, _ body: BodyCapture?) {
        let shown = redaction.url(url)
        func skip(_ reason: String) { host.log(.warning, "\(method) \(shown) is not recorded: \(reason).") }
        guard RuleFile.statuses.contains(Int64(status)) else { return skip("a rule cannot have the status \(status)") }
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
        let redacted = redaction.fields(fields)
        // Without its Location, a redirect could not be followed.
        if redacted.contains(where: { FieldName($0.name) == .location && $0.value.contains(Redaction.mark) }) {
            return skip("the URL in its field Location has a parameter that may be a secret")
        }
        let kept = redacted.filter { name, value in
            !RuleRecorder.unkept.contains(FieldName(name)) && !value.contains(Redaction.mark)
                && FieldCheck.isValid(name, value)
        }
        // Rules have one value for a name: RFC 9110 §5.3 allows to join them.
        let values = Dictionary(grouping: kept) { $0.name }
        var named: JSONObject = [:]
        for (name, _) in kept where named[name] == nil {
            named[name] = .string(values[name, default: []].map { $0.value }.joined(separator: ", "))
        }
        if !named.isEmpty { response["fields"] = .object(named) }
        let request: JSONValue = [
            "method": .string(method), "url": .string(shown.replacing(Redaction.mark, with: "*")),
        ]
        if !add(.object(response), to: request, key: "\(method) \(url)") {
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
    private func add(_ response: JSONValue, to request: JSONValue, key: String) -> Bool {
        let added = [response, request].reduce(128) { $0 + (JSONWriter.write($1) as [UInt8]).count }
        let isFull = state.withLock { state in
            if state.size + added > RuleFile.limit.bytes { return true }
            if let place = state.places[key] {
                if state.recorded[place].responses.last == response { return false }
                state.recorded[place].responses.append(response)
            } else {
                state.places[key] = state.recorded.count
                let isPattern = request["url"]?.stringValue?.contains("*") ?? false
                state.recorded.append(Recorded(request: request, isPattern: isPattern, responses: [response]))
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
                let text = RuleRecorder.text(["rules": .array(rules)])
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
            return state.rules + RuleRecorder.rules(state.recorded)
        }
    }

    /// The rules of what was recorded. The first rule that matches a request responds: so patterns are last, and of
    /// rules that match the same requests, each but the last responds only as often as it has responses.
    private static func rules(_ recorded: [Recorded]) -> [JSONValue] {
        let ordered = recorded.filter { !$0.isPattern } + recorded.filter { $0.isPattern }
        var later: Set<JSONValue> = []
        let rules = ordered.reversed().map { rule -> JSONValue in
            var object: JSONObject = ["request": rule.request, "responses": .array(rule.responses)]
            if !later.insert(rule.request).inserted { object["times"] = .number(JSONNumber(rule.responses.count)) }
            return .object(object)
        }
        return rules.reversed()
    }

    private static func text(_ value: JSONValue) -> [UInt8] {
        JSONWriter.write(value, options: JSONWriter.Options(pretty: true))
    }
}
