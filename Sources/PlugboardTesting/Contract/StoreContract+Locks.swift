import PlugboardMessages
import PlugboardStore
import Synchronization

extension StoreContract {
    static var lockCases: [Case] {
        [
            Case("a lock has one holder until it is given back, and each token is above the one before") { contract in
                let (key, take) = (contract.key("l"), StoreCommand.takeLock(contract.key("l"), timeToLive: long))
                let first = try await contract.perform(take).number
                try await contract.expect(.refused, take, "A lock that is taken")
                try await contract.expect(.refused, .giveBackLock(key, token: first + 1), "Another token")
                try await contract.perform(.giveBackLock(key, token: first))
                try await contract.expect(.refused, .giveBackLock(key, token: first), "A lock that was given back")

                let second = try await contract.perform(take).number

                try contract.expect(first > 0 && second > first, true, "Tokens \(first) and \(second) rise")
            },
            Case("a lock ends after its time, and its token is then worth nothing") { contract in
                let key = contract.key("l")
                let old = try await contract.perform(.takeLock(key, timeToLive: .seconds(2))).number
                try await contract.pass(.seconds(3))
                try await contract.expect(.refused, .renewLock(key, token: old, timeToLive: long), "A late renewal")

                let new = try await contract.perform(.takeLock(key, timeToLive: long)).number

                try await contract.expect(.refused, .giveBackLock(key, token: old), "The token from before")
                try contract.expect(new > old, true, "Tokens \(old) and \(new) rise")
            },
            Case("a lock that is renewed lives on") { contract in
                let key = contract.key("l")
                let token = try await contract.perform(.takeLock(key, timeToLive: .seconds(2))).number
                try await contract.perform(.renewLock(key, token: token, timeToLive: long))
                try await contract.pass(.seconds(3))

                try await contract.expect(.refused, .takeLock(key, timeToLive: long), "A lock that was renewed")
            },
            Case("of many that take a lock at once, one gets it") { contract in
                let take = StoreCommand.takeLock(contract.key("l"), timeToLive: long)

                try contract.expect(try await contract.countDone(50, take), 1, "Those that get it")
            },
            Case("a lock and a value of the same key have nothing in common") { contract in
                try await contract.perform(.takeLock(contract.key("x"), timeToLive: long))
                try await contract.perform(.put([contract.entry("x", "value")]))
                try await contract.perform(.remove([contract.key("x")]))

                try await contract.expect(.refused, .takeLock(contract.key("x"), timeToLive: long), "The lock")
                try contract.expect(try await contract.texts("x"), [nil], "The value")
            },
        ]
    }

    static var watchCases: [Case] {
        [
            Case("each way to change a key is told to those who have read it, also where it did not exist") {
                contract in
                let told = Told()
                let watch = try contract.watch(told)
                let keys = ["put", "removed", "number", "compared"].map(contract.key)
                try await contract.perform(.put([contract.entry("removed", "x")]))
                try await contract.perform(.get(keys, watch: watch))

                try await contract.perform(.put([contract.entry("put", "x")]))
                try await contract.perform(.remove([contract.key("removed")]))
                try await contract.perform(.add(contract.key("number"), 1, timeToLive: long))
                try await contract.perform(.compareAndSet(contract.entry("compared", "x"), expected: nil))

                try contract.expect(Set(try await told.next(4)), Set(keys), "The keys that were told")
                contract.store.unwatch(watch)
            },
            Case("a change is told once, and again only after the key was read again") { contract in
                let told = Told()
                let watch = try contract.watch(told)
                let other = contract.key("other")
                try await contract.perform(.get([contract.key("a"), other], watch: watch))

                for number in 0..<3 { try await contract.perform(.put([contract.entry("a", "\(number)")])) }
                try await contract.perform(.put([contract.entry("other", "x")]))
                let first = Set(try await told.next(2))
                try await contract.perform(.get([contract.key("a")], watch: watch))
                try await contract.perform(.put([contract.entry("a", "again")]))

                try contract.expect(first, [contract.key("a"), other], "The keys that were told at first")
                try contract.expect(try await told.next(1), [contract.key("a")], "The keys that were told again")
                contract.store.unwatch(watch)
            },
            Case("a change at the time of a read is read, or it is told") { contract in
                let told = Told()
                let watch = try contract.watch(told)
                for number in 0..<20 {
                    let name = "\(number)"
                    async let reply = contract.perform(.get([contract.key(name)], watch: watch))
                    try await contract.perform(.put([contract.entry(name, "new")]))

                    if try await reply.values == [nil] {
                        try contract.expect(try await told.next(1), [contract.key(name)], "The keys that were told")
                    }
                }
                contract.store.unwatch(watch)
            },
            Case("a watch that has ended, and a key that was read without a watch, are told nothing") { contract in
                let (ended, told) = (Told(), Told())
                let (first, second) = (try contract.watch(ended), try contract.watch(told))
                try await contract.perform(.get([contract.key("a")], watch: first))
                try await contract.perform(.get([contract.key("plain")]))
                try await contract.perform(.get([contract.key("a")], watch: second))

                contract.store.unwatch(first)
                try await contract.perform(.put([contract.entry("plain", "x")]))
                try await contract.perform(.put([contract.entry("a", "x")]))

                try contract.expect(try await told.next(1), [contract.key("a")], "The keys that were told")
                try contract.expect(ended.all, [], "What the watch was told that has ended")
                contract.store.unwatch(second)
            },
        ]
    }

    static var argumentCases: [Case] {
        [
            Case("keys, values, times and numbers of keys that are not valid are refused") { contract in
                let long = String(repeating: "k", count: 513)
                try await contract.expect(.invalid, .get([]), "No key")
                try await contract.expect(.invalid, .get([""]), "An empty key")
                try await contract.expect(.invalid, .get([long]), "A key that is too long")
                try await contract.expect(
                    .invalid, .remove(Array(repeating: contract.key("a"), count: 1001)), "Too many keys")
                for time in [Duration.zero, .seconds(-1), .microseconds(1), .seconds(31 * 86_400)] {
                    try await contract.expect(.invalid, .put([contract.entry("a", "x", time)]), "A time of \(time)")
                    try await contract.expect(
                        .invalid, .takeLock(contract.key("a"), timeToLive: time), "A lock for \(time)")
                }
            },
            Case("a call without time is late at once") { contract in
                for time in [Duration.zero, .seconds(-1)] {
                    try await contract.expect(.late, .get([contract.key("a")]), within: time, "A call within \(time)")
                }
            },
        ]
    }

    fileprivate func watch(_ told: Told) throws -> StoreWatch {
        guard let watch = store.watch({ told.add($0) }) else {
            throw Violation(description: "There is no watch.")
        }
        return watch
    }
}

/// The keys that a watch was told; `*` for all of them.
private final class Told: Sendable {
    private struct State {
        var keys: [String] = []
        var taken = 0
        var waiting: (count: Int, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var all: [String] { state.withLock { $0.keys } }

    func add(_ key: String?) {
        let continuation = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.keys.append(key ?? "*")
            guard let waiting = state.waiting, state.keys.count >= waiting.count else { return nil }
            state.waiting = nil
            return waiting.continuation
        }
        continuation?.resume()
    }

    /// Waits for so many further ones. Throws after the time that a command has.
    func next(_ count: Int) async throws -> [String] {
        let end = Task {
            try await Task.sleep(for: StoreContract.within)
            giveUp()
        }
        await withCheckedContinuation { continuation in
            let isThere = state.withLock { state in
                if state.keys.count >= state.taken + count { return true }
                state.waiting = (state.taken + count, continuation)
                return false
            }
            if isThere { continuation.resume() }
        }
        end.cancel()
        let keys = state.withLock { state in
            defer { state.taken = state.keys.count }
            return Array(state.keys[state.taken...])
        }
        guard keys.count >= count else {
            throw StoreContract.Violation(
                description: "Expected to be told \(count) keys, and was told \(keys) within \(StoreContract.within).")
        }
        return keys
    }

    private func giveUp() {
        let continuation = state.withLock { state in
            defer { state.waiting = nil }
            return state.waiting?.continuation
        }
        continuation?.resume()
    }
}
