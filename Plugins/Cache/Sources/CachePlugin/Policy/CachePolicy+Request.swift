extension CachePolicy {
    /// What becomes of a request, given all entries under its key.
    func decision(for request: RequestFacts, entries: [CacheEntry], now: Duration) -> RequestDecision {
        .forward(Forward(request: request, reason: .uriMiss, entries: entries))
    }
}
