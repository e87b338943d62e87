import PlugboardKit

extension CachePolicy {
    /// What becomes of a forwarded request that got no answer.
    ///
    /// - Parameter isUnreachable: Whether the network is at fault: names, connections, time-outs, a head cut short. Not what the caller
    ///   or TLS verification refused: then the failure passes.
    func decision(afterFailureOf forward: Forward, isUnreachable: Bool, now: Duration) -> FailureDecision {
        guard isUnreachable, let entry = forward.selected else { return .pass }
        if let reuse = stale(entry, forward, isUnreachable: true, now: now) { return .reuse(reuse) }
        // RFC 9111 §5.2.2.2: not only no stale answer, but an error that says why.
        return mayBeStale(facts(of: entry.answer))
            ? .pass
            : .gatewayTimeout(.gatewayTimeout, CacheStatus(forwarded: forward.reason, detail: "must-revalidate"))
    }
}
