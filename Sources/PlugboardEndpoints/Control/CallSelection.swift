import PlugboardCore

/// Which calls are meant.
///
///     client.calls.cancel(.tag("search"))
///     client.calls.suspend(.group("feed"))
///     client.calls.find(.category("upload") && .matching { $0.labels.priority == .low })
public struct CallSelection: Sendable {
    private let isMeant: @Sendable (any AnyCall) -> Bool

    private init(_ isMeant: @escaping @Sendable (any AnyCall) -> Bool) { self.isMeant = isMeant }

    /// Whether a call is meant.
    public func contains(_ call: any AnyCall) -> Bool { isMeant(call) }

    /// All calls.
    public static let all = CallSelection { _ in true }

    /// The calls of that identifier.
    public static func identifier(_ name: String) -> CallSelection { CallSelection { $0.labels.identifier == name } }

    /// The calls of that group.
    public static func group(_ name: String) -> CallSelection { CallSelection { $0.labels.group == name } }

    /// The calls of that tag.
    public static func tag(_ name: String) -> CallSelection { CallSelection { $0.labels.tag == name } }

    /// The calls of that category.
    public static func category(_ name: String) -> CallSelection { CallSelection { $0.labels.category == name } }

    /// The calls in that state.
    public static func state(_ state: CallState) -> CallSelection { CallSelection { $0.state == state } }

    /// The calls for which a closure is true.
    public static func matching(_ isMeant: @escaping @Sendable (any AnyCall) -> Bool) -> CallSelection {
        CallSelection(isMeant)
    }

    /// The calls that both mean.
    public static func && (left: CallSelection, right: CallSelection) -> CallSelection {
        CallSelection { left.contains($0) && right.contains($0) }
    }

    /// The calls that one of both means.
    public static func || (left: CallSelection, right: CallSelection) -> CallSelection {
        CallSelection { left.contains($0) || right.contains($0) }
    }

    /// The calls that are not meant.
    public static prefix func ! (selection: CallSelection) -> CallSelection {
        CallSelection { !selection.contains($0) }
    }
}

/// Control over calls that have not ended.
extension CallRegistry {
    /// The calls that are meant, in the order in which they were made.
    public func find(_ selection: CallSelection) -> [any AnyCall] { all.filter { selection.contains($0) } }

    /// Cancels the calls that are meant, and returns their number.
    @discardableResult
    public func cancel(_ selection: CallSelection) -> Int { apply(selection) { $0.cancel() } }

    /// Suspends the calls that are meant, and returns their number.
    @discardableResult
    public func suspend(_ selection: CallSelection) -> Int { apply(selection) { $0.suspend() } }

    /// Lets the calls that are meant go on, and returns their number.
    @discardableResult
    public func resume(_ selection: CallSelection) -> Int { apply(selection) { $0.resume() } }

    /// Cancels the calls that wait, and returns when those under way have ended. Calls that are to start meanwhile are
    /// cancelled; afterwards they start again.
    ///
    /// Requests of a batch and steps of a chain that are under way still begin. Requests that `client.send` sends
    /// without a call are not counted.
    public func finish() async {
        beginFinishing()
        defer { endFinishing() }
        while true {
            let rest = all
            for call in rest where call.state == .waiting && !call.isPart { call.cancel() }
            guard !rest.isEmpty else { return }
            if let running = rest.first(where: { $0.state != .waiting }) {
                await running.ended()
            } else {
                // Parts of a batch that has just ended are about to be cancelled.
                await Task.yield()
            }
        }
    }

    private func apply(_ selection: CallSelection, _ action: (any AnyCall) -> Void) -> Int {
        let calls = find(selection)
        for call in calls { action(call) }
        return calls.count
    }
}

extension AnyCall {
    /// Whether a batch or a chain has made it.
    fileprivate var isPart: Bool { (self as? any CallControl)?.isPart ?? false }
}
