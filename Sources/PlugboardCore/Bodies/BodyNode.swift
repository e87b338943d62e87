import PlugboardBorder
import PlugboardEventLoop
import Synchronization

/// A body in the kernel, between a source and its reader: checks that both keep the rules.
///
/// A pull is completed on the loop, once, even if the source completes it on another thread. After a release, what the
/// source gives is ignored.
///
/// A source that completes its pulls at once cannot block the loop: a piece without bytes, and each 64th piece in a
/// row, goes to the reader in the loop's next turn.
///
/// A node belongs to one loop, on which its source is called. A node that was made on another thread belongs to none
/// until an exchange takes it.
///
/// Sendable because everything except `open` is touched only on the loop, or by its one owner before it has a loop.
final class BodyNode: BodySource, PullReceiver, @unchecked Sendable {
    private let source: any BodySource
    /// Keeps the loops.
    let core: KernelCore
    // Unmanaged, to avoid reference counting for each piece.
    @exclusivity(unchecked) private var place: Unmanaged<KernelLoop>
    @exclusivity(unchecked) private var isBound: Bool
    /// The serial of the pull that is not completed, or 0.
    private let open = Mutex<UInt64>(0)
    private var lastSerial: UInt64 = 0
    private var waiting: Pull?
    /// Whether the source has not completed the last pull, or its piece is `deferred`.
    private var isSourcePulled = false
    /// A piece that was ready at once, and goes to the reader in the loop's next turn.
    private var deferred: Piece?
    /// Whether the source's `pull` runs.
    private var isInPull = false
    /// How many pulls in a row were completed before they returned, since the loop's last turn.
    private var atOnce: UInt8 = 0
    private static let atOnceLimit: UInt8 = 64
    /// How many pieces in a row were empty.
    private var emptyCount: UInt32 = 0
    private static let emptyLimit: UInt32 = 10_000
    /// A piece that was taken from the source before a reader asked for it.
    // Unchecked, because releasing a piece calls no code that uses the node.
    @exclusivity(unchecked) private var unread: Piece?
    /// The bytes that readers got since it was made, or since the last rewind.
    private(set) var givenCount = 0
    /// Whether a reader got a piece since it was made, or since the last rewind.
    private var hasGiven = false
    private var isReleased = false
    /// How often the exchange has taken it back from a plugin that was at fault: that many releases of plugins are
    /// ignored.
    private var reclaims = 0
    /// Whether it was pulled since it was made, or since the last rewind.
    private(set) var hasBegun = false
    /// Whether the end, or an error in its place, has come.
    private(set) var hasEnded = false
    /// Whether a plugin has a `plug_body *` of it, which it must hand in or release once.
    private let isWithPlugin = Atomic(false)
    /// Touched by the thread that completes the open pull, and on the loop while none is open.
    private var bytesLeft: BodyLength
    /// Whether `bytesLeft` checks anything; a constant, because each piece asks.
    private let hasCheckedLength: Bool

    /// - Parameters:
    ///   - isBound: Whether it belongs to this loop. If not, it uses this loop until an exchange takes it.
    ///   - checksLength: Whether the body breaks if it is not as long as the source says; for sources from outside the
    ///     kernel.
    init(_ source: any BodySource, home: KernelLoop, isBound: Bool = true, checksLength: Bool = false) {
        self.source = source
        core = home.core
        place = Unmanaged.passUnretained(home)
        self.isBound = isBound
        let length = checksLength ? source.length : nil
        bytesLeft = BodyLength(length)
        hasCheckedLength = length != nil
    }

    /// A body that fails at once, in place of a body that could not be rewound.
    static func broken(home: KernelLoop) -> BodyNode { BodyNode(BrokenSource(), home: home) }

    /// Notes that a plugin gets a `plug_body *` of it.
    func enterPlugin() { isWithPlugin.store(true, ordering: .relaxed) }

    /// Notes that the plugin hands it in or releases it. Returns false if the plugin has done that before.
    func leavePlugin() -> Bool { isWithPlugin.exchange(false, ordering: .relaxed) }

    /// Its loop.
    var home: KernelLoop { place.takeUnretainedValue() }

    /// Whether this is called on its loop.
    @inline(__always)
    var isHere: Bool { place._withUnsafeGuaranteedRef { $0.loop.isCurrent } }

    private func enqueue(_ job: @escaping @Sendable () -> Void) -> Bool {
        place._withUnsafeGuaranteedRef { $0.loop.enqueue(job) }
    }

    /// Makes it belong to this loop, unless it already belongs to one.
    func bind(to home: KernelLoop) {
        guard !isBound else { return }
        isBound = true
        if hasBegun || home === self.home { return }
        place = Unmanaged.passUnretained(home)
        (source as? PluginSource)?.move(to: home)
    }

    /// Lets the loop of the request that carries the body take it over, until the first pull. Only for a plugin's
    /// source and for bytes, because code of this loop may still use any other body.
    func unbind() {
        if isHere, !hasBegun, source is PluginSource || source.copy() != nil { isBound = false }
    }

    /// The body for an exchange on this loop: itself, or, if it belongs to another loop, a body that is pulled there
    /// and read here. The second cannot be rewound, because its source is called on its own loop only.
    func adopted(by home: KernelLoop) -> BodyNode {
        bind(to: home)
        return home === self.home ? self : BodyNode(DistantSource(self), home: home)
    }

    deinit { if !isReleased { source.release() } }

    var length: Int? { source.length }
    var canRewind: Bool { source.canRewind && !isReleased && !isSourcePulled }
    /// Whether `beginAgain` can succeed after a piece was read.
    var canBeginAgain: Bool { source.canRewind && !isReleased && (!isSourcePulled || deferred != nil) }

    /// Asks for the next piece. The pull is completed once, on the loop, even when the body is released before that.
    /// [any]
    func pull(_ pull: Pull) {
        guard isHere else {
            if !enqueue({ self.pull(pull) }) { pull.fail(BodyNode.tooLate) }
            return
        }
        if isReleased || waiting != nil {
            pull.fail(isReleased ? BodyNode.released : BodyNode.pulledTwice)
            return
        }
        hasBegun = true
        if let piece = nextIfReady() {
            if mustGiveWay(after: piece) {
                (waiting, isSourcePulled) = (pull, true)
                deferToNextTurn(piece)
            } else {
                pull.complete(piece)
            }
            return
        }
        waiting = pull
        // The piece that an earlier reader no longer waits for goes to this one.
        if isSourcePulled { return }
        isSourcePulled = true
        lastSerial += 1
        let serial = lastSerial
        open.withLock { $0 = serial }
        isInPull = true
        source.pull(Pull(self, serial: serial))
        isInPull = false
    }

    /// Asks for the next piece, and calls the function with it.
    func pull(_ completed: @escaping (Piece) -> Void) { pull(Pull(PieceReceiver(completed))) }

    func nextIfReady() -> Piece? {
        guard isHere, !isReleased, !isSourcePulled, let piece = unread.take() ?? nextOfSource() else {
            return nil
        }
        hasBegun = true
        note(piece)
        return piece
    }

    private func nextOfSource() -> Piece? {
        if !hasCheckedLength { return source.nextIfReady() }
        guard let piece = source.nextIfReady() else { return nil }
        return bytesLeft.check(piece, of: source)
    }

    /// All bytes of a body that was not read, if its length is known and they are available now in one piece. The
    /// reader still gets them. [loop]
    func wholeIfReady() -> Bytes? {
        guard isHere, !isReleased, !isSourcePulled, waiting == nil, !hasGiven, let length = source.length else {
            return nil
        }
        if length == 0 { return .empty }
        if unread == nil { unread = nextOfSource() }
        guard case .bytes(let bytes) = unread, bytes.count == length else { return nil }
        return bytes
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let isFirst = open.withLock { open in
            guard open == serial else { return false }
            open = 0
            return true
        }
        guard isFirst else { return false }
        let piece = bytesLeft.check(piece, of: source)
        if isHere, isInPull, mustGiveWay(after: piece) {
            deferToNextTurn(piece)
        } else if isHere || !enqueue({ self.deliver(piece) }) {
            // When the loop has ended, no other thread uses the node.
            deliver(piece)
        }
        return true
    }

    /// Whether the reader gets this piece, which is ready at once, only in the loop's next turn. This also limits the
    /// depth of calls of a plugin that pulls again when it gets a piece.
    private func mustGiveWay(after piece: Piece) -> Bool {
        atOnce += 1
        if case .bytes(let bytes) = piece, bytes.isEmpty {
            emptyCount &+= 1
            if emptyCount == BodyNode.emptyLimit { (source as? PluginSource)?.warn(ofEmpty: emptyCount) }
            return true
        }
        emptyCount = 0
        return atOnce == BodyNode.atOnceLimit
    }

    private func deferToNextTurn(_ piece: Piece) {
        deferred = piece
        atOnce = 0
        if !enqueue({ self.deliverDeferred() }) { deliverDeferred() }
    }

    private func deliverDeferred() {
        if let piece = deferred.take() { deliver(piece) }
    }

    private func deliver(_ piece: Piece) {
        isSourcePulled = false
        guard let pull = waiting else {
            if !isReleased { unread = piece }
            return
        }
        waiting = nil
        note(piece)
        pull.complete(piece)
    }

    private func note(_ piece: Piece) {
        hasGiven = true
        if case .bytes(let bytes) = piece { givenCount += bytes.count } else { hasEnded = true }
    }

    func rewind() -> Bool {
        guard !isReleased, !isSourcePulled, source.rewind() else { return false }
        bytesLeft.begin(source)
        unread = nil
        hasBegun = false
        hasGiven = false
        givenCount = 0
        hasEnded = false
        return true
    }

    /// Prepares it for another reader, after the last one has left: rewinds it if a piece was read. Returns false if
    /// it cannot be read from its beginning. [loop]
    func beginAgain() -> Bool {
        if hasGiven {
            // The source has completed the pull of the reader that has left.
            if deferred.take() != nil { (waiting, isSourcePulled) = (nil, false) }
            return rewind()
        }
        waiting = nil
        return !isReleased
    }

    /// Releases the body, and drops the rest. [any]
    func release() {
        // When the loop has ended, no other thread uses the node.
        guard isHere || !enqueue({ self.release() }) else { return }
        guard !isReleased else { return }
        isReleased = true
        open.withLock { $0 = 0 }
        source.release()
        hasEnded = true
        (unread, deferred) = (nil, nil)
        let pull = waiting
        waiting = nil
        pull?.fail(BodyNode.released)
    }

    /// `body_release`: a plugin releases a body that it has taken out of an exchange, or was given. [any]
    func releaseByPlugin() {
        // A hook that throws releases its bodies. Whether one of them was the exchange's is known only after the hook
        // has returned.
        guard isHere, !place._withUnsafeGuaranteedRef({ $0.containment.isSteering }) else {
            if !enqueue({ self.releaseByPlugin() }) { release() }
            return
        }
        if reclaims == 0 { release() } else { reclaims -= 1 }
    }

    /// Takes the body back from a plugin that was at fault: one release by plugins is then ignored. [loop]
    func reclaim() { reclaims += 1 }

    private static let tooLate = PlugboardError(.shutDown, "The kernel has ended, so this body cannot be read.")
    private static let released = PlugboardError(.cancelled, "The body was released before its end.")
    private static let pulledTwice = PlugboardError(
        .pluginFault, "A body was pulled again before the last pull was completed.")
}
