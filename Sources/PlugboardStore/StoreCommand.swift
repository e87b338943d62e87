/// What is asked of a store. `plugboard-store.h` says what each means, and which keys, values and times are valid.
public enum StoreCommand: Sendable {
    /// Reads keys; changes of them are told to the watch from then on.
    case get([String], watch: StoreWatch? = nil)
    /// Writes values, all or none.
    case put([StoreEntry])
    /// Removes keys.
    case remove([String])
    /// Adds to a number; one that does not exist is made as 0 with this time to live.
    case add(String, Int64, timeToLive: Duration)
    /// Writes a value if the key has the expected one; nil: if it does not exist.
    case compareAndSet(StoreEntry, expected: Bytes?)
    /// Takes a lock.
    case takeLock(String, timeToLive: Duration)
    /// Lets a lock live for this time from now on.
    case renewLock(String, token: Int64, timeToLive: Duration)
    /// Gives a lock back.
    case giveBackLock(String, token: Int64)
}

/// A value to be written.
public struct StoreEntry: Sendable, Equatable {
    /// The key.
    public var key: String
    /// The value.
    public var value: Bytes
    /// The time after which the key is gone, by the engine's clock.
    public var timeToLive: Duration

    /// A value to be written.
    public init(_ key: String, _ value: Bytes, timeToLive: Duration) {
        (self.key, self.value, self.timeToLive) = (key, value, timeToLive)
    }
}

/// What a command brought.
public struct StoreReply: Sendable, Equatable {
    /// The values that `get` has read, in the order of its keys; nil for a key without one. Empty for other commands.
    public var values: [Bytes?]
    /// The new number of `add`, or the token of `takeLock`; 0 for other commands.
    public var number: Int64

    /// A reply; without arguments that of a command that brings nothing.
    public init(values: [Bytes?] = [], number: Int64 = 0) { (self.values, self.number) = (values, number) }
}

/// Why a command brought nothing.
public struct StoreFailure: Error, Sendable, Equatable {
    /// The kind of a failure.
    public enum Kind: UInt32, Sendable, CaseIterable {
        /// The value is another one, or the lock is another's. Nothing was changed.
        case refused = 1
        /// The time was over before the engine responded. It may carry the command out all the same.
        case late
        /// The engine cannot be reached, breaks off, is full, or the provider stops. It may carry the command out.
        case down
        /// A key, a value, a number or a time is not valid, or `add` found no number. Nothing was changed.
        case invalid
    }

    /// The kind.
    public let kind: Kind
    /// A sentence for the log, without secrets.
    public let reason: String

    /// A failure.
    public init(_ kind: Kind, _ reason: String) { (self.kind, self.reason) = (kind, reason) }
}

/// A watch of a store, which keys are read with.
public struct StoreWatch: Sendable, Hashable {
    /// The number in `plugboard-store.h`; never 0.
    public let number: UInt64

    /// The watch of a number.
    public init(number: UInt64) { self.number = number }
}
