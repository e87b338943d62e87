import EventLoop
import PlugboardKit
import Synchronization

/// A body in the kernel: stands between a source and who pulls it, and holds both to the rules.
///
/// Answers come to the loop, from whatever thread they are given, once. What is released answers no more.
/// Sendable because everything but `open` is touched on the loop only.
final class BodyNode: BodySource, PullReceiver, @unchecked Sendable {
    private let source: any BodySource
    let core: KernelCore
    private var loop: EventLoop { core.loop }
    /// The serial of the pull that waits for its answer, or 0.
    private let open = Mutex<UInt64>(0)
    private var lastSerial: UInt64 = 0
    private var waiting: Pull?
    private var isReleased = false
    /// How often the exchange took it back from a plugin that had taken it and was at fault: what that one gives back is
    /// then not its own.
    private var reclaims = 0
    /// Whether anything was pulled since the beginning.
    private(set) var hasBegun = false
    /// Whether the end or a break has come.
    private(set) var hasEnded = false

    init(_ source: any BodySource, core: KernelCore) {
        self.source = source
        self.core = core
    }

    /// Takes the place of a body that could not be rewound.
    static func broken(core: KernelCore) -> BodyNode { BodyNode(BrokenSource(), core: core) }

    deinit { if !isReleased { source.release() } }

    var length: Int? { source.length }
    var canRewind: Bool { source.canRewind && !isReleased && waiting == nil }

    /// Asks for the next piece, from any thread; the answer comes once, on the loop, also when the body is released before.
    func pull(_ pull: Pull) {
        guard loop.isCurrent else {
            if !loop.enqueue({ self.pull(pull) }) { pull.fail(BodyNode.tooLate) }
            return
        }
        if isReleased || waiting != nil {
            pull.fail(isReleased ? BodyNode.released : BodyNode.pulledTwice)
            return
        }
        hasBegun = true
        if let piece = take() {
            pull.complete(piece)
            return
        }
        lastSerial += 1
        let serial = lastSerial
        open.withLock { $0 = serial }
        waiting = pull
        source.pull(Pull(self, serial: serial))
    }

    /// The same, with a function that hears the answer.
    func pull(_ answer: @escaping (Piece) -> Void) { pull(Pull(Listener(answer))) }

    func take() -> Piece? {
        guard loop.isCurrent, !isReleased, waiting == nil, let piece = source.take() else { return nil }
        hasBegun = true
        note(piece)
        return piece
    }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let isFirst = open.withLock { open in
            guard open == serial else { return false }
            open = 0
            return true
        }
        guard isFirst else { return false }
        // When the loop has ended, the one that gives the first answer is alone with the node.
        if loop.isCurrent || !loop.enqueue({ self.deliver(piece) }) { deliver(piece) }
        return true
    }

    private func deliver(_ piece: Piece) {
        let pull = waiting
        waiting = nil
        note(piece)
        pull?.complete(piece)
    }

    private func note(_ piece: Piece) {
        if case .bytes = piece {} else { hasEnded = true }
    }

    func rewind() -> Bool {
        guard !isReleased, waiting == nil, source.rewind() else { return false }
        hasBegun = false
        hasEnded = false
        return true
    }

    /// From any thread.
    func release() {
        // When the loop has ended, the one that gives the body back is alone with the node.
        guard loop.isCurrent || !loop.enqueue({ self.release() }) else { return }
        guard !isReleased else { return }
        isReleased = true
        open.withLock { $0 = 0 }
        source.release()
        hasEnded = true
        let pull = waiting
        waiting = nil
        pull?.fail(BodyNode.released)
    }

    /// A plugin gives back what it took out of an exchange or was given. From any thread.
    func giveBack() {
        // A hook that breaks gives back what it holds, and what that is to its exchange is known when it has returned.
        guard loop.isCurrent, core.mark.call?.hook.isSteering != true else {
            if !loop.enqueue({ self.giveBack() }) { release() }
            return
        }
        if reclaims == 0 { release() } else { reclaims -= 1 }
    }

    /// The exchange takes it from a plugin that was at fault. [loop]
    func reclaim() { reclaims += 1 }

    private static let tooLate = PlugboardError(.shutDown, "The kernel has ended, and this body with it.")
    private static let released = PlugboardError(.cancelled, "The body was given back before its end.")
    private static let pulledTwice = PlugboardError(
        .pluginFault, "A body was pulled again before the last pull was answered.")
}

/// Sendable because it is called on the loop only, once.
private final class Listener: PullReceiver, @unchecked Sendable {
    private let answer: (Piece) -> Void

    init(_ answer: @escaping (Piece) -> Void) { self.answer = answer }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        answer(piece)
        return true
    }
}

/// Breaks at once.
private final class BrokenSource: BodySource {
    var length: Int? { nil }

    func pull(_ pull: Pull) {
        pull.fail(
            PlugboardError(
                .bodyRewind,
                "The request's body had begun and cannot be sent again. "
                    + "Send it as bytes or as a file if the request may have to be repeated."))
    }
}
