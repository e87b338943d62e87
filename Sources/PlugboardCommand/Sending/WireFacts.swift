import PlugboardCurl
import Synchronization

/// What `--write-out` tells of the bytes on the wire and of the certificates of the server.
final class WireFacts: Sendable {
    private struct State {
        var requestSize = 0
        /// The bytes of the last request's body; nil if they do not count.
        var bodySize: Int?
        var certificates: [String] = []

        /// Counts the last request's body, as curl does: only one that it sends together with the head.
        mutating func endBody() {
            if let bodySize, bodySize < WireFacts.sizeLimit { requestSize += bodySize }
            bodySize = nil
        }
    }

    private static let sizeLimit = 64 << 10
    /// Each marks the head of a request whose body curl sends separately.
    private static let marks = ["\r\nexpect:", "\r\ncontent-type: multipart/form-data", " http/2\r\n"]
    let wantsCertificates: Bool
    private let countsBodies: Bool
    private let state = Mutex(State())

    /// Nil if the text needs none of them.
    ///
    /// - Parameter group: Files of `-T` are bodies that do not count.
    init?(_ writeOut: WriteOut?, _ group: CurlGroup) {
        guard let writeOut, writeOut.names("size_request") || writeOut.namesCertificates else { return nil }
        wantsCertificates = writeOut.namesCertificates
        countsBodies = group.uploads.isEmpty
    }

    /// [loop]
    func hear(_ entry: WireLog.Entry, _ bytes: UnsafeRawBufferPointer) {
        switch entry {
        case .requestHead:
            let head = String(decoding: bytes, as: UTF8.self).lowercased()
            let isApart = WireFacts.marks.contains { head.contains($0) }
            state.withLock { state in
                state.endBody()
                state.requestSize += bytes.count
                if countsBodies, !isApart { state.bodySize = 0 }
            }
        case .requestBody: state.withLock { $0.bodySize? += bytes.count }
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
            state.endBody()
            return state
        }
        facts.requestSize += state.requestSize
        if !state.certificates.isEmpty { facts.certificates = state.certificates }
    }
}
