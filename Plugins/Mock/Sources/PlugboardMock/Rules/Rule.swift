import PlugboardKit

/// The requests that a rule matches, and its responses.
struct Rule: Sendable {
    /// The name in reports: that in the file, or the rule's place.
    var name: String
    var method: String?
    var url: Wildcard?
    /// The conditions on fields, in the order of the file.
    var fields: [(name: FieldName, value: Wildcard)] = []
    /// The members and values that the JSON of the body must have.
    var body: JSONValue?
    /// Given one after the other; the last one is repeated.
    var responses: [MockResponse]
    /// How often it responds; nil for no limit.
    var times: Int?
    /// The percentage of matching requests to which it responds.
    var probability = 100

    /// Why a rule does not respond to a request. A later case means a nearer rule.
    enum Mismatch: Comparable {
        case method, url
        case field(Int)
        case body, times, probability
    }

    /// The first condition that a request does not meet; nil if it meets all.
    ///
    /// - Parameter includingBody: False compares all but the body.
    func mismatch(_ request: MockedRequest, includingBody: Bool = true) -> Mismatch? {
        if let method, method != request.method { return .method }
        if let url, !url.matches(request.url) { return .url }
        for (index, field) in fields.enumerated()
        where !request.fields.values(field.name).contains(where: { field.value.matches(Array($0.utf8)) }) {
            return .field(index)
        }
        guard includingBody, let body else { return nil }
        return request.json.map { body.isWithin($0) } ?? false ? nil : .body
    }

    /// How many bytes a request's URL has in common with the rule's, from the first one; all if it matches.
    func sharedURL(_ other: [UInt8]) -> Int {
        guard let url else { return 0 }
        return url.matches(other) ? other.count : zip(url.text.utf8, other).prefix { $0 == $1 }.count
    }

    /// A mismatch in words.
    func reason(_ mismatch: Mismatch) -> String {
        switch mismatch {
        case .method: "its method is \(method ?? "")"
        case .url: "its url is \(Printable.text(url?.text ?? ""))"
        case .field(let index):
            "it requires the field \(fields[index].name.text): \(Printable.text(fields[index].value.text))"
        case .body: "it requires another body"
        case .times: "it has responded as often as it may (times)"
        case .probability: "its probability excluded the request"
        }
    }
}

/// The parts of a request that rules compare.
struct MockedRequest {
    var method: String
    /// The URL in UTF-8.
    var url: [UInt8]
    var fields: Fields
    /// Nil for no body, and for one that is not JSON.
    var json: JSONValue?
}

extension JSONValue {
    /// Whether another value has all members of this one, at any depth; lists must have the same length.
    fileprivate func isWithin(_ other: JSONValue) -> Bool {
        switch (self, other) {
        case (.object(let mine), .object(let others)):
            return mine.allSatisfy { name, value in others[name].map { value.isWithin($0) } ?? false }
        case (.array(let mine), .array(let others)):
            return mine.count == others.count && zip(mine, others).allSatisfy { $0.isWithin($1) }
        default: return self == other
        }
    }
}

/// A response of a rule, or a failure in its place.
struct MockResponse: Sendable {
    enum Outcome: Sendable {
        case response(status: Int, fields: Fields, body: [MockStep])
        case failure(code: String, reason: String)
    }

    /// A part of a body.
    enum MockStep: Sendable {
        case bytes(Bytes)
        case pause(Duration)
        /// The connection breaks.
        case end
    }

    var outcome: Outcome
    var delay = Duration.zero
}
