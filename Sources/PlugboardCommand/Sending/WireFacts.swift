import PlugboardCurl
import Synchronization

/// What `--write-out` tells of the bytes on the wire and of the certificates of the server.
final class WireFacts: Sendable {
    private struct State {
        /// The bytes of the heads that were sent.
        var requestSize = 0
        var certificates: [String] = []
    }

    let wantsCertificates: Bool
    private let state = Mutex(State())

    /// Nil if the text needs none of them.
    init?(_ writeOut: WriteOut?) {
        guard let writeOut, writeOut.names("size_request") || writeOut.namesCertificates else { return nil }
        wantsCertificates = writeOut.namesCertificates
    }

    /// [loop]
    func hear(_ entry: WireLog.Entry, _ bytes: UnsafeRawBufferPointer) {
        switch entry {
        case .requestHead: state.withLock { $0.requestSize += bytes.count }
        case .certificates:
            let chain = bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            state.withLock { $0.certificates = chain }
        default: break
        }
    }

    /// Adds what was counted to the facts of an exchange, and counts from zero again.
    func move(to facts: inout WriteOut.Facts) {
        let state = state.withLock { state in
            defer { state = State() }
            return state
        }
        facts.requestSize += state.requestSize
        if !state.certificates.isEmpty { facts.certificates = state.certificates }
    }
}
