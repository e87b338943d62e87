import CCurl
import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a socket is ready for, or is watched for, in epoll's own bits.
struct Readiness: OptionSet {
    let rawValue: UInt32

    static let read = Readiness(rawValue: ccurl_epoll_in)
    static let write = Readiness(rawValue: ccurl_epoll_out)
    static let broken = Readiness(rawValue: ccurl_epoll_error | ccurl_epoll_hang_up)
}

/// The sockets of a loop, over epoll. Touched on the loop's thread only.
///
/// Changes reach epoll lazily: a socket that nobody waits for stays registered until it is heard of against all wishes,
/// for the next exchange on its connection will most likely wait for the same.
final class Poller {
    private struct Watch {
        /// Unowned: it forgets its sockets before it goes.
        var participant: Unmanaged<LoopParticipant>?
        var wanted: Readiness = []
        var registered: Readiness = []
        /// Whether the participant opened the socket and will say when it closes it.
        var isOwn = false
        /// Whether a registration may outlive the wish.
        var isLazy = false
        /// Tells the socket from a later one of the same number.
        var cookie: UInt64 = 0
    }

    private static let batchSize = 256
    private let epoll: Int32
    private let events = UnsafeMutablePointer<epoll_event>.allocate(capacity: Poller.batchSize)
    /// By descriptor: the kernel gives the smallest free number, so the table stays dense.
    // Nothing that changes it calls anybody meanwhile.
    @exclusivity(unchecked) private var watches: [Watch] = []

    /// `wait` also ends when the alarm rings.
    init(alarm: Int32) throws(PlugboardError) {
        epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
        if epoll < 0 { throw .noDescriptor(errno) }
        // Edge-triggered, so that it need not be read.
        _ = ccurl_epoll_control(epoll, EPOLL_CTL_ADD, alarm, ccurl_epoll_in | ccurl_epoll_edge)
    }

    deinit {
        close(epoll)
        events.deallocate()
    }

    /// Waits for that many nanoseconds, or for ever below 0; returns what `dispatch` wants to know.
    func wait(_ nanoseconds: Int64) -> Int {
        let milliseconds = nanoseconds < 0 ? -1 : min((nanoseconds + 999_999) / 1_000_000, 3_600_000)
        return Int(epoll_wait(epoll, events, Int32(Poller.batchSize), Int32(milliseconds)))
    }

    func dispatch(_ count: Int) {
        guard count > 0 else { return }
        for index in 0..<count {
            let socket = Int(ccurl_epoll_file(events + index))
            guard socket < watches.count else { continue }
            let readiness = Readiness(rawValue: ccurl_epoll_events(events + index))
            let wanted = watches[socket].wanted
            if let participant = watches[socket].participant, !wanted.isEmpty,
                !readiness.isDisjoint(with: wanted.union(.broken))
            {
                participant._withUnsafeGuaranteedRef { $0.socketIsReady(Int32(socket), readiness) }
            } else if watches[socket].registered != wanted {
                register(socket, wanted)
            }
        }
    }

    /// Says that this socket's closing will be told with `forget`.
    func adopt(_ socket: Int32, for participant: LoopParticipant) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)] = Watch(
            participant: Unmanaged.passUnretained(participant), isOwn: true, cookie: ccurl_socket_cookie(socket))
    }

    func watch(_ socket: Int32, _ wanted: Readiness, for participant: LoopParticipant) {
        guard socket >= 0 else { return }
        makeRoom(Int(socket))
        watches[Int(socket)].participant = Unmanaged.passUnretained(participant)
        watches[Int(socket)].wanted = wanted
        // Once it is connected and waits for an answer: libcurl closes a socket that is still connecting without a word.
        if wanted == .read, watches[Int(socket)].isOwn { watches[Int(socket)].isLazy = true }
        if !watches[Int(socket)].isLazy, wanted.isEmpty {
            if !watches[Int(socket)].registered.isEmpty { register(Int(socket), []) }
            watches[Int(socket)] = Watch()
            return
        }
        let registered = watches[Int(socket)].registered
        if !registered.isSuperset(of: wanted) || (!watches[Int(socket)].isLazy && registered != wanted) {
            register(Int(socket), wanted)
        }
    }

    /// The socket is about to be closed; epoll drops it by itself.
    func forget(_ socket: Int32) {
        guard socket >= 0, Int(socket) < watches.count else { return }
        watches[Int(socket)] = Watch()
    }

    /// Ends what goes on over the sockets of this participant that nobody waits for; they stay open until they are closed.
    func shutDownIdle(of participant: LoopParticipant) {
        let owner = Unmanaged.passUnretained(participant).toOpaque()
        for socket in watches.indices where watches[socket].isLazy && watches[socket].wanted.isEmpty {
            guard watches[socket].participant?.toOpaque() == owner else { continue }
            // Others of this process may have the number by now, if libcurl has closed a socket without a word.
            if ccurl_socket_cookie(Int32(socket)) == watches[socket].cookie {
                shutdown(Int32(socket), Int32(SHUT_RDWR))
            }
        }
    }

    private func makeRoom(_ socket: Int) {
        if socket >= watches.count {
            watches.append(contentsOf: repeatElement(Watch(), count: socket + 1 - watches.count))
        }
    }

    private func register(_ socket: Int, _ wanted: Readiness) {
        let registered = watches[socket].registered
        watches[socket].registered = wanted
        let operation = wanted.isEmpty ? EPOLL_CTL_DEL : registered.isEmpty ? EPOLL_CTL_ADD : EPOLL_CTL_MOD
        let result = ccurl_epoll_control(epoll, operation, Int32(socket), wanted.rawValue)
        // The number may belong to another socket by now, which epoll has not heard of.
        if result != 0, operation == EPOLL_CTL_MOD {
            _ = ccurl_epoll_control(epoll, EPOLL_CTL_ADD, Int32(socket), wanted.rawValue)
        }
    }
}
