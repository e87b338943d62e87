import Synchronization

/// Several bodies as one, one after the other. The trailer fields are those of the last body.
final class JoinedSource: BodySource, PullReceiver {
    private struct State {
        var index = 0
        var pull: Pull?
    }

    private let sources: [any BodySource]
    private let state = Mutex(State())

    init(_ sources: [any BodySource]) { self.sources = sources }

    /// The sum of all lengths; nil if one of them is unknown.
    var length: Int? {
        sources.reduce(0) { sum, source in
            guard let sum, let length = source.length else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(length)
            return overflow ? nil : total
        }
    }

    var canRewind: Bool { sources.allSatisfy(\.canRewind) }

    func nextIfReady() -> Piece? {
        while true {
            let index = state.withLock { $0.index }
            guard index < sources.count else { return .end(trailers: Fields()) }
            guard let piece = sources[index].nextIfReady() else { return nil }
            guard case .end = piece, index + 1 < sources.count else { return piece }
            state.withLock { $0.index += 1 }
        }
    }

    func pull(_ pull: Pull) {
        let index = state.withLock { state in
            if state.index + 1 < sources.count { state.pull = pull }
            return state.index
        }
        if index >= sources.count {
            pull.end()
        } else {
            sources[index].pull(index + 1 < sources.count ? Pull(self) : pull)
        }
    }

    /// Receives a piece of a body that is not the last one, on any thread.
    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        var isEnd = false
        if case .end = piece { isEnd = true }
        let pull = state.withLock { state in
            if isEnd && state.pull != nil { state.index += 1 }
            defer { state.pull = nil }
            return state.pull
        }
        // Sources are pulled on the loop: an empty piece lets the reader pull again there, and reach the next body.
        return pull?.complete(isEnd ? .bytes(.empty) : piece) ?? false
    }

    func rewind() -> Bool {
        guard canRewind, sources.allSatisfy({ $0.rewind() }) else { return false }
        state.withLock { $0.index = 0 }
        return true
    }

    func copy() -> (any BodySource)? {
        var others: [any BodySource] = []
        for source in sources {
            guard let other = source.copy() else {
                for other in others { other.release() }
                return nil
            }
            others.append(other)
        }
        return JoinedSource(others)
    }

    func release() {
        // An open pull may never be completed, and would hold its reader.
        let open = state.withLock { state in
            defer { state.pull = nil }
            return state.pull
        }
        withExtendedLifetime(open) {}
        for source in sources { source.release() }
    }
}
