import PlugboardKit
import RedirectOptions

/// Whether and how a redirect is followed (RFC 9110 §15.4); a pure value, which the plugin carries out.
struct RedirectPolicy: Sendable {
    var limit = 20
    /// Whether a POST stays one after 301 and 302.
    var keepsMethod = false
    /// Whether https may lead to http.
    var allowsDowngrade = false

    /// 300 leaves the choice to the user, 304 is an answer to a condition, 305 and 306 are not used any more.
    static let statuses: Set<Int> = [301, 302, 303, 307, 308]

    /// What is known when an answer has come.
    struct Situation {
        var status: Int
        var method: Method
        /// The URL that answered.
        var url: String
        /// Its `Location`; nil if it has none, or one that cannot be a reference.
        var reference: Reference?
        /// Redirects followed before this one.
        var followed = 0
        /// Whether the request's body can begin again; true if there is none.
        var canRepeatBody = true
    }

    enum Decision: Equatable {
        /// The answer is the program's to look at.
        case pass
        case follow(Step)
        case fail(PlugboardError)
    }

    /// The request that comes next.
    struct Step: Equatable {
        var url: String
        var method: Method
        /// The method became GET, so that body and the fields that describe it go.
        var dropsBody = false
        /// Another scheme, host or port: what was meant for the first one stays behind.
        var leavesOrigin = false
    }

    /// `resolve` gives the URL that a reference means, or nil.
    func decision(for situation: Situation, resolving resolve: (String) -> String?) -> Decision {
        guard Self.statuses.contains(situation.status), let reference = situation.reference,
            let origin = Origin(url: situation.url)
        else { return .pass }
        if let scheme = reference.scheme, scheme != "http", scheme != "https" {
            return refuse("to the scheme \(scheme), which is neither http nor https", origin, situation)
        }
        guard let resolved = resolve(reference.text), let next = Origin(url: resolved) else { return .pass }
        if origin.scheme == "https", next.scheme == "http", !allowsDowngrade {
            return refuse("from https to http. Set redirect.allowDowngrade if that is wanted", origin, situation)
        }
        guard situation.followed < limit else {
            return .fail(
                PlugboardError(
                    .redirectLimit,
                    "\(origin) redirected once more after \(situation.followed) redirects. Raise redirect.limit if "
                        + "so many are meant."))
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
                    "\(origin) answered \(situation.status), which asks for the same request at another place, but its "
                        + "body is a stream that cannot begin again. Send it from memory or from a file."))
        }
        let url = Reference.carry(from: situation.url, over: reference, to: resolved, isSameOrigin: origin == next)
        return .follow(Step(url: url, method: method, dropsBody: isChanged, leavesOrigin: origin != next))
    }

    /// RFC 9110 §15.4.2 to §15.4.4: POST becomes GET by old custom; after 303 everything that is not HEAD does.
    private func method(after situation: Situation) -> Method {
        switch situation.status {
        case 301, 302: situation.method == .post && !keepsMethod ? .get : situation.method
        case 303: situation.method == .head ? .head : .get
        default: situation.method
        }
    }

    private func refuse(_ what: String, _ origin: Origin, _ situation: Situation) -> Decision {
        .fail(
            PlugboardError(.redirectRefused, "\(origin) answered \(situation.status) with a redirect \(what)."))
    }

    /// Whether a field of this name says something of the body, and goes with it (RFC 9110 §15.4).
    static func describesContent(_ name: String) -> Bool {
        let name = name.lowercased()
        return name.hasPrefix("content-")
            || ["digest", "repr-digest", "last-modified", "transfer-encoding", "trailer", "expect"].contains(name)
    }
}
