import PlugboardCore
import Synchronization

/// The number of a call, unique in this process.
public struct CallID: Sendable, Hashable, CustomStringConvertible {
    let number: UInt64
    private static let last = Atomic<UInt64>(0)

    /// The next number.
    init() { number = CallID.last.add(1, ordering: .relaxed).newValue }

    /// The number.
    public var description: String { "\(number)" }
}

/// The labels of a call: the names by which it is found and cancelled.
public struct CallLabels: Sendable {
    /// A name of this call.
    public var identifier: String?
    /// A name of calls that belong together.
    public var group: String?
    /// A tag.
    public var tag: String?
    /// The kind of the call.
    public var category: String?
    /// Values for the program's own adapters, judge and callbacks.
    public var userInfo: [String: any Sendable]
    /// Decides which call begins first if several wait.
    public var priority: CallPriority

    /// Creates labels; none by default.
    public init(
        identifier: String? = nil, group: String? = nil, tag: String? = nil, category: String? = nil,
        userInfo: [String: any Sendable] = [:], priority: CallPriority = .normal
    ) {
        self.identifier = identifier
        self.group = group
        self.tag = tag
        self.category = category
        self.userInfo = userInfo
        self.priority = priority
    }

    /// The labels of an endpoint, completed by the client's general user info.
    init<E: Endpoint>(_ endpoint: E, _ general: [String: any Sendable]) {
        var userInfo = endpoint.userInfo
        if !general.isEmpty, endpoint.usesGeneralUserInfo {
            userInfo.merge(general) { own, _ in own }
        }
        self.init(
            identifier: CallLabels.named(endpoint.identifier), group: CallLabels.named(endpoint.group),
            tag: CallLabels.named(endpoint.tag), category: CallLabels.named(endpoint.category), userInfo: userInfo,
            priority: endpoint.priority)
    }

    /// Each name with its kind, for people.
    var texts: [String] {
        [("identifier", identifier), ("group", group), ("tag", tag), ("category", category)]
            .compactMap { kind, name in name.map { "\(kind) \(Printable.text($0))" } }
    }

    private static func named(_ text: String) -> String? { text.isEmpty ? nil : text }
}

/// What the client's adapters, judge and hooks know about the request.
public struct CallContext: Sendable {
    /// The endpoint.
    public let endpoint: any Endpoint
    /// The labels given to the call, or else those of the endpoint.
    public let labels: CallLabels
    /// The call; nil for a request that was sent without one, by `client.send`.
    public let call: CallID?
}
