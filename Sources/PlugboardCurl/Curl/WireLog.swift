import CPlugboardCurl
import Synchronization

/// What libcurl says about connections and sends as heads, for a program that shows it to people. Off, it costs
/// nothing: libcurl writes no log then.
package enum WireLog {
    package enum Entry: Sendable {
        /// A line of libcurl's log, without the line break. It may hold values of secret fields.
        case note
        /// The whole head of a request as it is sent, with all its fields; or of a request to a proxy.
        case requestHead
    }

    package typealias Listener = @Sendable (Entry, String) -> Void

    private static let listener = Mutex<Listener?>(nil)

    /// Kernels that start from now on call the closure, on their loops and within libcurl: it must not block, and must
    /// not call the kernel. Other bytes than UTF-8 are replaced.
    package static func listen(_ hear: @escaping Listener) { listener.withLock { $0 = hear } }

    static var current: Listener? { listener.withLock { $0 } }
}

extension TransferState.Pointer {
    /// Tells the listener what libcurl has logged or sent. A head may come in pieces.
    func tell(_ listener: WireLog.Listener, _ kind: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        if kind == CURLINFO_TEXT {
            return listener(.note, String(decoding: bytes.last == 0x0A ? bytes.dropLast() : bytes[...], as: UTF8.self))
        }
        guard kind == CURLINFO_HEADER_OUT else { return }
        pointee.sentHead += bytes
        guard pointee.sentHead.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] else { return }
        listener(.requestHead, String(decoding: pointee.sentHead, as: UTF8.self))
        pointee.sentHead = []
    }
}
