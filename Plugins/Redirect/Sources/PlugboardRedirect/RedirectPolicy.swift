import PlugboardKit
import PlugboardRedirectOptions

/// Decides whether and how a redirect is followed (RFC 9110 §15.4); a pure value.
struct RedirectPolicy: Sendable {
    var limit = 20
    /// Whether a POST stays a POST after 301 and 302.
    var keepsMethod = false
    /// Whether https may redirect to http.
    var allowsDowngrade = false

    /// 300 leaves the choice to the user, 304 responds to a condition, 305 and 306 are deprecated or unused. An array,
    /// because comparing five numbers takes less time than a hash.
    static let statuses = [301, 302, 303, 307, 308]

    /// The facts about a response, on which the decision depends.
    struct Situation {
        var status: Int
        var method: Method
        /// The URL of the response.
        var url: String
        /// The reference in `Location`; nil if the field is missing or invalid.
        var reference: Reference?
        /// Redirects followed before this one.
        var followed = 0
        /// Whether the request's body can be rewound; true without a body.
        var canRepeatBody = true
    }

    enum Decision: Equatable {
        /// The response passes to the program.
        case pass
        case follow(Step)
        case fail(PlugboardError)
    }

    /// The next request.
    struct Step: Equatable {
        var url: String
        var method: Method
        /// Whether the method became GET, so that the body and the fields that describe it are removed.
        var dropsBody = false
        /// Whether scheme, host or port changes.
        var leavesOrigin = false
    }

    /// - Parameter resolve: Returns the URL that a reference means, or nil.
    func decision(for situation: Situation, resolving resolve: (String) -> String?) -> Decision {
        guard Self.statuses.contains(situation.status), let reference = situation.reference,
            let origin = Origin(url: situation.url)
        else { return .pass }
        if let scheme = reference.scheme, scheme != "http", scheme != "https" {
            return refuse("to the scheme \(scheme), which is neither http nor https", origin, situation)
        }
        guard let resolved = resolve(reference.text), let next = Origin(url: resolved) else {
            guard reference.hasInternationalHost else { return .pass }
            return refuse(
                "to a host that is not ASCII. The server has to write the host as xn--… (RFC 5890)", origin, situation)
        }
        if origin.scheme == "https", next.scheme == "http", !allowsDowngrade {
            return refuse("from https to http. Set redirect.allowDowngrade to allow that", origin, situation)
        }
        guard situation.followed < limit else {
            return .fail(
                PlugboardError(
                    .redirectLimit,
                    "\(origin) redirected again after \(situation.followed) redirects. Raise redirect.limit if more are "
                        + "expected."))
        }
        return follow(reference, resolved, origin, next, situation)
    }

    private func follow(
        _ reference: Reference, _ resolved: String, _ origin: Origin, _ next: Origin, _ situation: Situation
    ) -> Decision {
        let method = self.method(after: situation)
        let isChanged = method != situation.method
        guard isChanged || situation.canRepeatBody else {
            return .fail(
                PlugboardError(
                    .redirectBody,
                    "\(origin) responded \(situation.status), which asks for the same request at another URL, but its "
                        + "body is a stream that cannot be rewound. Send it from memory or from a file."))
        }
        let url = Reference.carry(from: situation.url, over: reference, to: resolved, isSameOrigin: origin == next)
        return .follow(Step(url: url, method: method, dropsBody: isChanged, leavesOrigin: origin != next))
    }

    /// RFC 9110 §15.4.2 to §15.4.4: a POST becomes a GET after 301 and 302, and every method but HEAD after 303.
    private func method(after situation: Situation) -> Method {
        switch situation.status {
        case 301, 302: situation.method == .post && !keepsMethod ? .get : situation.method
        case 303: situation.method == .head ? .head : .get
        default: situation.method
        }
    }

    private func refuse(_ what: String, _ origin: Origin, _ situation: Situation) -> Decision {
        .fail(
            PlugboardError(.redirectRefused, "\(origin) responded \(situation.status) with a redirect \(what)."))
    }

    /// Whether a field describes the body, and is removed with it (RFC 9110 §15.4).
    static func describesContent(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-")
            || ["digest", "repr-digest", "last-modified", "transfer-encoding", "trailer", "expect"].contains(name)
    }
}
