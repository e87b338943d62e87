import CPlugboardControl
import PlugboardCore
import PlugboardJSON
import PlugboardMessages
import PlugboardSystem
import Synchronization

/// The socket of one kernel: one thread that takes peers, reads their lines and writes to them, and never waits for any
/// of them.
///
/// Sendable because what changes is under a lock or atomic, and the connections belong to the thread.
final class ControlServer: ControlSocket {
    /// How many peers there may be at a time.
    static let peerLimit: Int32 = 16
    /// Seconds after which a peer is closed that reads nothing of what it is sent.
    private static let patience: Int64 = 30

    private enum Life { case idle, serving, closed }

    private let path: String
    private let listener: Int32
    /// An eventfd that becomes readable when there is something to write, or when the socket is closed.
    private let alarm: Int32
    private let isAwake = Atomic(false)
    /// The commands of plugins that have not replied, those of peers that have gone among them.
    private let commands = RunningCommands()
    private let life = Mutex(Life.idle)
    /// The file that this server has made.
    private let file: (device: dev_t, number: ino_t)

    /// Nil where no descriptor is left. From then on the server owns the descriptor and the file.
    init?(_ path: String, _ listener: Int32, _ status: stat) {
        alarm = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
        guard alarm >= 0 else { return nil }
        (self.path, self.listener, file) = (path, listener, (status.st_dev, status.st_ino))
    }

    deinit {
        close()
        PlugboardSystem.close(listener)
        PlugboardSystem.close(alarm)
    }

    func serve(_ kernel: Kernel) {
        let isFirst = life.withLock { life in
            guard life == .idle else { return false }
            life = .serving
            return true
        }
        guard isFirst else { return }
        if !BlockingThread.startIfPossible({ [self, weak kernel] in run { kernel } }) { close() }
    }

    func close() {
        let wasOpen = life.withLock { life in
            defer { life = .closed }
            return life != .closed
        }
        guard wasOpen else { return }
        var status = stat()
        // Another process may have replaced it.
        if lstat(path, &status) == 0, status.st_dev == file.device, status.st_ino == file.number { unlink(path) }
        wake()
    }

    private func wake() {
        if isAwake.exchange(true, ordering: .acquiringAndReleasing) { return }
        var one: UInt64 = 1
        _ = write(alarm, &one, 8)
    }

    private var isClosed: Bool { life.withLock { $0 == .closed } }

    // MARK: The thread

    private func run(_ kernel: () -> Kernel?) {
        var signals = sigset_t()
        sigfillset(&signals)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        var connections: [ControlConnection] = []
        // The system has refused a peer, for example for want of descriptors: it is asked again in the next second.
        var refusedAt: Int64 = -1
        while !isClosed {
            var now = clockTime(CLOCK_MONOTONIC) / 1_000_000_000
            wait(for: connections, takesMore: connections.count < ControlServer.peerLimit && now != refusedAt)
            now = clockTime(CLOCK_MONOTONIC) / 1_000_000_000
            for connection in connections {
                connection.write(at: now)
                connection.read(kernel)
                connection.write(at: now)
            }
            for connection in connections where connection.isOver(at: now, patience: ControlServer.patience) {
                connection.close()
            }
            connections.removeAll(where: \.isClosed)
            guard connections.count < ControlServer.peerLimit, now != refusedAt else { continue }
            switch accept() {
            case .success(let connection?): connections.append(connection)
            case .success(nil): break
            case .failure: refusedAt = now
            }
        }
        let now = clockTime(CLOCK_MONOTONIC) / 1_000_000_000
        for connection in connections {
            connection.write(at: now)
            connection.close()
        }
    }

    private func wait(for connections: [ControlConnection], takesMore: Bool) {
        var files = connections.map(\.wanted)
        files.append(pollfd(fd: alarm, events: Int16(POLLIN), revents: 0))
        if takesMore { files.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0)) }
        // A peer that reads nothing is found by time.
        let isTimed = !takesMore || connections.contains(where: \.isWaiting)
        poll(&files, nfds_t(files.count), isTimed ? 1000 : -1)
        for (connection, file) in zip(connections, files) where file.revents & Int16(POLLHUP | POLLERR) != 0 {
            connection.hasHungUp = true
        }
        var wakes: UInt64 = 0
        _ = read(alarm, &wakes, 8)
        // After the read: a wake that comes in between must not be lost.
        _ = isAwake.exchange(false, ordering: .acquiringAndReleasing)
    }

    private struct Refused: Error {}

    /// The next peer; nil if none waits, or another user's did.
    private func accept() -> Result<ControlConnection?, Refused> {
        let file = ccontrol_accept(listener)
        guard file >= 0 else {
            return [EAGAIN, EWOULDBLOCK, EINTR, ECONNABORTED].contains(errno) ? .success(nil) : .failure(Refused())
        }
        guard ccontrol_peer_user(file) == Int(geteuid()) else {
            PlugboardSystem.close(file)
            return .success(nil)
        }
        let peer = ControlPeer(commands) { [weak self] in self?.wake() }
        peer.add(
            ControlText.line([
                "plugboard": .string(Kernel.version), "control": 1, "pid": .number(JSONNumber(getpid())),
            ]))
        return .success(ControlConnection(file, peer))
    }
}
