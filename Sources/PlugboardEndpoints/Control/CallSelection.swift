import PlugboardCore

/// A selection of calls.
///
///     client.calls.cancel(.tag("search"))
///     client.calls.suspend(.group("feed"))
///     client.calls.find(.category("upload") && .matching { $0.labels.priority == .low })
public struct CallSelection: Sendable {
    private let isMeant: @Sendable (any AnyCall) -> Bool

    private init(_ isMeant: @escaping @Sendable (any AnyCall) -> Bool) { self.isMeant = isMeant }

    /// Whether the selection contains a call.
    public func contains(_ call: any AnyCall) -> Bool { isMeant(call) }

    /// All calls.
    public static let all = CallSelection { _ in true }

    /// Calls with that identifier.
    public static func identifier(_ name: String) -> CallSelection { CallSelection { $0.labels.identifier == name } }

    /// Calls with that group.
    public static func group(_ name: String) -> CallSelection { CallSelection { $0.labels.group == name } }

    /// Calls with that tag.
    public static func tag(_ name: String) -> CallSelection { CallSelection { $0.labels.tag == name } }

    /// Calls with that category.
    public static func category(_ name: String) -> CallSelection { CallSelection { $0.labels.category == name } }

    /// Calls in that state.
    public static func state(_ state: CallState) -> CallSelection { CallSelection { $0.state == state } }

    /// Calls for which a closure returns true.
    public static func matching(_ isMeant: @escaping @Sendable (any AnyCall) -> Bool) -> CallSelection {
        CallSelection(isMeant)
    }

    /// Calls that both selections contain.
    public static func && (left: CallSelection, right: CallSelection) -> CallSelection {
        CallSelection { left.contains($0) && right.contains($0) }
    }

    /// Calls that at least one selection contains.
    public static func || (left: CallSelection, right: CallSelection) -> CallSelection {
        CallSelection { left.contains($0) || right.contains($0) }
    }

    /// Calls that the selection does not contain.
    public static prefix func ! (selection: CallSelection) -> CallSelection {
        CallSelection { !selection.contains($0) }
    }
}

/// Control over calls that have not ended.
extension CallRegistry {
    /// The selected calls, in the order in which they were made.
    public func find(_ selection: CallSelection) -> [any AnyCall] { all.filter { selection.contains($0) } }

    /// Cancels the selected calls, and returns their number.
    @discardableResult
    public func cancel(_ selection: CallSelection) -> Int { apply(selection) { $0.cancel() } }

    /// Suspends the selected calls, and returns their number.
    @discardableResult
    public func suspend(_ selection: CallSelection) -> Int { apply(selection) { $0.suspend() } }

    /// Resumes the selected calls, and returns their number.
    @discardableResult
    public func resume(_ selection: CallSelection) -> Int { apply(selection) { $0.resume() } }

    /// Cancels waiting calls, and returns when those under way have ended. A call that starts meanwhile is cancelled;
    /// after this method has returned, calls can start again.
    ///
    /// A batch or chain under way still begins its remaining requests and steps. Requests of `client.send`, which have
    /// no call, are not counted.
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
                // A batch that has just ended is about to cancel its calls.
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
