import CPlugboardHiredis
import PlugboardKit

/// A connection to a server: commands go out in the order of `send`, and replies come in the same order.
///
/// Sendable because it is touched only under the lock of `RedisEngine`.
final class RedisConnection: @unchecked Sendable {
    /// Gets the reply of a command; nil where the connection ended before.
    typealias Take = @Sendable (RedisReply?) -> Void

    /// A reply, with what takes it: nil for one that was not asked for, such as a message.
    struct Arrival {
        let take: Take?
        let reply: RedisReply
    }

    /// A command without a reply.
    private struct Owed {
        let limit: Int
        let take: Take
    }

    static let libraryVersion = "hiredis \(HIREDIS_MAJOR).\(HIREDIS_MINOR).\(HIREDIS_PATCH)"
    /// The most bytes that hiredis has not made an element of: a value of the largest size, its head, and one read.
    private static let unreadLimit = 1_048_577 + 65_536

    private let context: UnsafeMutablePointer<redisContext>
    private let functions: UnsafeMutablePointer<redisReplyObjectFunctions>
    private var watch: PluginHost.Watch?
    private var writes = true
    private var owed: [Owed] = []
    private var firstOwed = 0
    /// The bytes since the last reply.
    private var received = 0
    /// Since when the server owes something and is silent.
    private(set) var silentSince: Duration?
    /// The commands so far.
    private(set) var sentCount = 0

    /// Takes the descriptor over.
    init?(_ descriptor: Int32) {
        functions = .allocate(capacity: 1)
        guard let context = plugboard_redis_open(descriptor, functions) else {
            functions.deallocate()
            return nil
        }
        self.context = context
    }

    deinit {
        // The watch has ended, because it holds this object.
        redisFree(context)
        functions.deallocate()
    }

    /// Begins to watch the connection on the current loop; false if that is not possible. To be called once.
    func open(
        _ host: PluginHost, _ ready: @escaping @Sendable (PluginHost.Readiness) -> Void,
        ended: @escaping @Sendable () -> Void
    ) -> Bool {
        watch = host.watch(context.pointee.fd, for: [.read, .write]) { [self] _, readiness in
            withExtendedLifetime(self) { ready(readiness) }
        } released: { [self] in
            withExtendedLifetime(self) { ended() }
        }
        return watch != nil
    }

    /// Ends the watch; returns what has no reply.
    func close() -> [Take] {
        watch?.cancel()
        defer { (owed, firstOwed) = ([], 0) }
        return owed[firstOwed...].map(\.take)
    }

    /// Sends a command without waiting.
    func send(_ command: RedisCommand, at now: Duration, _ take: @escaping Take) {
        append(command, at: now)
        owed.append(Owed(limit: command.replyLimit, take: take))
    }

    /// Sends a command whose reply comes as a message.
    func append(_ command: RedisCommand, at now: Duration) {
        command.bytes.withUnsafeBufferPointer { bytes in
            // Never nil, so that an empty word has an address.
            guard var next = UnsafeRawPointer(bytes.baseAddress)?.assumingMemoryBound(to: CChar.self) else { return }
            let words = command.counts.map { count -> UnsafePointer<CChar>? in
                defer { next += count }
                return next
            }
            var pointers = words
            _ = redisAppendCommandArgv(context, Int32(words.count), &pointers, command.counts)
        }
        sentCount += 1
        if silentSince == nil { silentSince = now }
        if writes { return }
        writes = true
        watch?.change(to: [.read, .write])
    }

    /// Writes and reads without blocking, and gives way after 256 KiB. Returns why the connection cannot be used any
    /// more, beside the replies until then. On the loop, whose thread holds SIGPIPE back.
    func proceed(_ ready: PluginHost.Readiness, _ arrivals: inout [Arrival], at now: Duration) -> String? {
        if writes, !ready.isDisjoint(with: [.write, .broken]) {
            var isDone: Int32 = 0
            guard redisBufferWrite(context, &isDone) == REDIS_OK else { return failure }
            if isDone != 0 {
                writes = false
                watch?.change(to: .read)
            } else if silentSince != nil {
                // The server reads what is large.
                silentSince = now
            }
        }
        for _ in 0..<16 {
            let before = context.pointee.reader.pointee.len
            let isRead = redisBufferRead(context) == REDIS_OK
            let count = Int(context.pointee.reader.pointee.len) - Int(before)
            if count > 0 {
                received += count
                if let failure = takeReplies(&arrivals) { return failure }
                silentSince = firstOwed == owed.count ? nil : now
            }
            if !isRead { return failure }
            if count < 16_384 { return ready.contains(.broken) ? "the connection was hung up" : nil }
        }
        return nil
    }

    private func takeReplies(_ arrivals: inout [Arrival]) -> String? {
        while true {
            var raw: UnsafeMutableRawPointer?
            guard redisGetReplyFromReader(context, &raw) == REDIS_OK else { return failure }
            guard let raw else { break }
            defer { freeReplyObject(raw) }
            received = 0
            let isAsked = firstOwed < owed.count
            let reply = RedisReply(raw.assumingMemoryBound(to: redisReply.self))
            arrivals.append(Arrival(take: isAsked ? owed[firstOwed].take : nil, reply: reply))
            if isAsked { firstOwed += 1 }
            if firstOwed == owed.count || firstOwed > 64 && firstOwed > owed.count / 2 {
                owed.removeFirst(firstOwed)
                firstOwed = 0
            }
        }
        let reader = context.pointee.reader.pointee
        let limit = firstOwed < owed.count ? owed[firstOwed].limit : 65_536
        guard received <= limit, reader.len - reader.pos <= RedisConnection.unreadLimit else {
            return "its reply is larger than the command can have"
        }
        return nil
    }

    private var failure: String { String(cString: plugboard_redis_error(context)) }
}
