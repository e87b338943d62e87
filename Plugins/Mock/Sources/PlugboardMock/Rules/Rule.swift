import PlugboardKit

/// What is answered to which requests.
struct Rule: Sendable {
    /// For reports: what the file says, or the rule's place.
    var name: String
    var method: String?
    var url: Wildcard?
    /// In the order of the file.
    var fields: [(name: FieldName, value: Wildcard)] = []
    /// What the JSON of the body must hold: members of objects, and equal values.
    var body: JSONValue?
    /// One after the other; the last one stays.
    var responses: [MockResponse]
    /// How often it answers; nil is without end.
    var times: Int?
    /// Of a hundred requests that it is for.
    var probability = 100

    /// The first condition that a request does not meet, as a reason; nil if it meets all.
    func mismatch(_ request: MockedRequest) -> (met: Int, reason: String)? {
        var met = 0
        if let method {
            guard method == request.method else { return (met, "its method is \(method)") }
            met += 1
        }
        if let url {
            guard url.matches(request.url) else { return (met, "its url is \(Printable.text(url.text))") }
            met += 2
        }
        for (name, value) in fields {
            guard request.fields.values(name).contains(where: value.matches) else {
                return (met, "it wants the field \(name.text): \(Printable.text(value.text))")
            }
            met += 1
        }
        if let body {
            guard let given = request.json, body.isWithin(given) else { return (met, "it wants another body") }
        }
        return nil
    }
}

/// What rules compare.
struct MockedRequest {
    var method: String
    var url: String
    var fields: Fields
    /// Nil for a body that is not JSON, and for none.
    var json: JSONValue?
}

extension JSONValue {
    /// Whether another value has all members of this one, at any depth; lists have to be as long.
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

/// What a rule answers.
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
