import CPlugboardControl
import PlugboardCore
import PlugboardJSON
import PlugboardMessages
import PlugboardSystem

/// The descriptor of one peer, the bytes of its next line that were read, and the bytes that are not written yet. Used
/// on the server's thread.
final class ControlConnection {
    private let file: Int32
    private let peer: ControlPeer
    private var input: [UInt8] = []
    private var output: ArraySlice<UInt8> = []
    /// When the first byte of `output` began to wait, in seconds.
    private var waitsSince: Int64?
    private var isAtEnd = false
    /// Whether the peer has closed both directions.
    var hasHungUp = false
    private(set) var isClosed = false

    init(_ file: Int32, _ peer: ControlPeer) { (self.file, self.peer) = (file, peer) }

    var isWaiting: Bool { waitsSince != nil }

    var wanted: pollfd {
        let reads = !isAtEnd && peer.isReady && !hasLine
        let writes = !output.isEmpty || peer.hasOutput
        return pollfd(fd: file, events: Int16((reads ? POLLIN : 0) | (writes ? POLLOUT : 0)), revents: 0)
    }

    private var hasLine: Bool { input.contains(0x0A) }

    /// Reads what has come, and begins the request of the first line.
    func read(_ kernel: () -> Kernel?) {
        guard !isClosed, peer.isReady else { return }
        if !isAtEnd, !hasLine {
            var piece = [UInt8](repeating: 0, count: 16 << 10)
            let count = PlugboardSystem.read(file, &piece, piece.count)
            if count > 0 {
                input += piece[..<count]
            } else if count == 0 || errno != EAGAIN && errno != EINTR {
                isAtEnd = true
            }
        }
        while let end = input.firstIndex(of: 0x0A) {
            let line = Array(input[..<end])
            input.removeFirst(end + 1)
            if !line.allSatisfy({ $0 == 0x20 || $0 == 0x0D }) { return begin(line[...], kernel) }
        }
        if input.count > ControlRequest.lengthLimit { refuse() }
    }

    private func begin(_ line: ArraySlice<UInt8>, _ kernel: () -> Kernel?) {
        switch ControlRequest.read(line) {
        case .failure(let refusal): peer.reply(refusal.id, "error", ControlText.error(refusal.error))
        case .success(let request):
            guard let kernel = kernel() else {
                let error = PlugboardError(.shutDown, "The kernel is shut down.")
                return peer.reply(request.id, "error", ControlText.error(error))
            }
            let run = ControlRun(request: request, kernel: kernel, peer: peer)
            peer.begin { await run.run() }
        }
    }

    /// A line that does not end: there is no way to find the next one.
    private func refuse() {
        input = []
        isAtEnd = true
        let error = PlugboardError(.controlRequest, "A line is longer than \(ControlRequest.lengthLimit) bytes.")
        peer.reply(.null, "error", ControlText.error(error))
    }

    /// Writes as much as the peer takes.
    func write(at now: Int64) {
        while !isClosed, !hasHungUp {
            if output.isEmpty { output = peer.takeOutput()[...] }
            if output.isEmpty { break }
            let count = output.withUnsafeBytes { send(file, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if count > 0 {
                output = output.dropFirst(count)
                waitsSince = nil
            } else if errno == EAGAIN || errno == EWOULDBLOCK {
                waitsSince = waitsSince ?? now
                return
            } else if errno != EINTR {
                hasHungUp = true
            }
        }
        waitsSince = nil
    }

    /// Whether it has gone, has nothing more to ask and was told all, or reads nothing.
    func isOver(at now: Int64, patience: Int64) -> Bool {
        if hasHungUp { return true }
        if let waitsSince, now - waitsSince > patience { return true }
        return isAtEnd && peer.isReady && !hasLine && output.isEmpty && !peer.hasOutput
    }

    func close() {
        if isClosed { return }
        isClosed = true
        peer.close()
        PlugboardSystem.close(file)
    }
}
