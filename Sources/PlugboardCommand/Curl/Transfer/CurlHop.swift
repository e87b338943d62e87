import PlugboardKit

/// A request of a transfer: the first one, or one that follows a redirect as curl follows it.
struct CurlHop {
    /// What is sent, which decides the method where `-X` does not.
    enum Kind: String {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
    }

    var url: String
    var kind: Kind
    /// The number of redirects that were followed before it.
    var count = 0
    /// Whether scheme, host and port are those of the first request.
    var isFirstOrigin = true
    /// Whether a server has asked for the credentials, for `--anyauth`.
    var isChallenged = false
    /// The URL of the previous request; nil for the first.
    var previous: String?

    /// Which POSTs stay POSTs, and which schemes are allowed.
    struct Rules {
        /// The statuses after which a POST is repeated.
        var keptPosts: Set<Int> = []
        var limit: Int? = 50
        var schemes: Set<String> = ["http", "https"]
        var isPathKept = false
    }

    /// Whether a response asks for another request.
    static func isRedirect(_ head: ResponseHead) -> Bool {
        (300...399).contains(head.status) && head.fields[.location]?.isEmpty == false
    }

    /// The request after a redirecting response.
    func next(
        after head: ResponseHead, of first: String, _ rules: Rules
    ) throws(CommandFailure) -> CurlHop {
        if let limit = rules.limit, count >= limit {
            throw CommandFailure(.redirects, "The server redirected again after \(count) redirects (--max-redirs).")
        }
        let location = head.fields[.location] ?? ""
        guard let parts = URLParts(escaping: location),
            let url = URLParts.resolve(parts.text, against: url, normalizing: false)
        else { throw CommandFailure(.url, "The server redirected to a URL that cannot be read.") }
        let scheme = URLParts(url)?.scheme?.lowercased() ?? ""
        guard rules.schemes.contains(scheme) else {
            throw CommandFailure(.failure, "A redirect to the scheme \(Printable.text(scheme)) is not allowed.")
        }
        var next = self
        next.url = rules.isPathKept ? url : CurlURL.withoutDotSegments(url)
        next.kind = kind(after: head.status, rules)
        next.count += 1
        next.isFirstOrigin = Origin(url: url) == Origin(url: first)
        next.previous = self.url
        return next
    }

    /// The request again with credentials, if the response asks for the scheme basic; else nil.
    func answering(_ head: ResponseHead) -> CurlHop? {
        guard head.status == 401, !isChallenged,
            head.fields.values("WWW-Authenticate").contains(where: { $0.lowercased().contains("basic") })
        else { return nil }
        var next = self
        next.isChallenged = true
        return next
    }

    private func kind(after status: Int, _ rules: Rules) -> Kind {
        switch (status, kind) {
        case (301...303, .post): rules.keptPosts.contains(status) ? .post : .get
        case (303, .put): .get
        default: kind
        }
    }
}

extension URLParts {
    /// A reference of a server, whose bytes that no URL can have are escaped.
    fileprivate init?(escaping text: String) {
        var text = text
        let parts = text.withUTF8 { URLParts(escaping: UnsafeRawBufferPointer($0)) }
        guard let parts else { return nil }
        self = parts
    }
}
