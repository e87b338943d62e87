import PlugboardMessages
import PlugboardStore
import Synchronization

/// What every store of `plugboard.store/1` does: a suite that the tests of a provider run.
///
///     @Test(arguments: StoreContract.cases)
///     func `the store keeps its contract`(part: StoreContract.Case) async throws {
///         let bench = try Workbench(MyStore.self)
///         let table = try #require(bench.service(Store.id, as: plug_store_v1.self))
///         try await part.check(StoreContract(Store(table)) { bench.clock.advance(by: $0) })
///     }
///
/// All keys begin with `contract/1/` and a number of the run's own, so that a run may share its engine with others.
public struct StoreContract: Sendable {
    /// A part of the contract, in a sentence.
    public struct Case: Sendable, CustomStringConvertible {
        /// The sentence.
        public let description: String
        let body: @Sendable (StoreContract) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (StoreContract) async throws -> Void) {
            (self.description, self.body) = (description, body)
        }

        /// Checks this part. Throws a `Violation` that says what differs.
        public func check(_ contract: StoreContract) async throws { try await body(contract) }
    }

    /// How a store breaks its contract.
    public struct Violation: Error, CustomStringConvertible {
        /// What was expected, and what came.
        public let description: String
    }

    /// All parts.
    public static let cases: [Case] = valueCases + numberCases + lockCases + watchCases + argumentCases

    let store: Store
    private let passTime: @Sendable (Duration) async throws -> Void
    private let run = UInt64.random(in: 0 ... .max)
    /// The time that each command has.
    static let within = Duration.seconds(10)
    /// The time to live of keys that the suite does not let end.
    static let long = Duration.seconds(600)

    /// - Parameters:
    ///   - store: The store.
    ///   - passTime: Lets so much time pass for the engine: moves the clock of a test, or waits.
    public init(_ store: Store, _ passTime: @escaping @Sendable (Duration) async throws -> Void) {
        (self.store, self.passTime) = (store, passTime)
    }

    // MARK: For the cases

    func key(_ name: String) -> String { "contract/1/\(run)/\(name)" }

    func entry(_ name: String, _ value: String, _ timeToLive: Duration = StoreContract.long) -> StoreEntry {
        StoreEntry(key(name), Bytes(Array(value.utf8)), timeToLive: timeToLive)
    }

    func pass(_ time: Duration) async throws { try await passTime(time) }

    @discardableResult
    func perform(_ command: StoreCommand) async throws -> StoreReply {
        try await reply(to: command, within: StoreContract.within)
    }

    /// The reply to a command. Throws a `StoreFailure`, or a `Violation` if no reply comes long after its time.
    func reply(to command: StoreCommand, within: Duration) async throws -> StoreReply {
        let result = await withCheckedContinuation { continuation in
            let first = First(continuation)
            let deadline = Task {
                try await Task.sleep(for: max(within, .zero) * 2 + .seconds(1))
                first.resume(nil)
            }
            store.perform(command, within: within) {
                deadline.cancel()
                first.resume($0)
            }
        }
        guard let result else { throw Violation(description: "A command has \(within), and had no reply.") }
        return try result.get()
    }

    func texts(_ names: String...) async throws -> [String?] {
        try await perform(.get(names.map(key))).values.map { $0?.text }
    }

    func expect<Value: Equatable>(_ value: Value, _ expected: Value, _ what: String) throws {
        if value != expected { throw Violation(description: "\(what): expected \(expected), and got \(value).") }
    }

    /// Expects a command to fail in this way.
    func expect(_ kind: StoreFailure.Kind, _ command: StoreCommand, within: Duration = within, _ what: String)
        async throws
    {
        do {
            _ = try await reply(to: command, within: within)
        } catch let failure as StoreFailure {
            return try expect(failure.kind, kind, what)
        }
        throw Violation(description: "\(what): expected \(kind), and it was done.")
    }

    /// How many of a number of equal commands, asked at once, are done; all others must be refused.
    func countDone(_ count: Int, _ command: StoreCommand) async throws -> Int {
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<count { group.addTask { try await isDone(command) ? 1 : 0 } }
            return try await group.reduce(0, +)
        }
    }

    /// Whether a command is done; false if it is refused.
    private func isDone(_ command: StoreCommand) async throws -> Bool {
        do { try await perform(command) } catch let failure as StoreFailure where failure.kind == .refused {
            return false
        }
        return true
    }

    /// The first of two results counts.
    private final class First: Sendable {
        private let continuation: Mutex<CheckedContinuation<Result<StoreReply, StoreFailure>?, Never>?>

        init(_ continuation: CheckedContinuation<Result<StoreReply, StoreFailure>?, Never>) {
            self.continuation = Mutex(continuation)
        }

        func resume(_ result: Result<StoreReply, StoreFailure>?) {
            let continuation = continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }
            continuation?.resume(returning: result)
        }
    }
}
