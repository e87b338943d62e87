extension CachePolicy {
    /// What becomes of a forwarded request that got no answer.
    ///
    /// - Parameter isUnreachable: Whether the network is at fault: names, connections, time-outs, a head cut short. Not what the caller
    ///   or TLS verification refused: then nothing stale is served.
    func decision(afterFailureOf forward: Forward, isUnreachable: Bool, now: Duration) -> FailureDecision { .pass }
}
