import CPlugboardCurl

/// Receives libcurl's log, and the bytes that it sends and receives, for a program that shows them to people.
package final class WireLog: Sendable {
    package enum Entry: Sendable {
        /// A line of libcurl's log, perhaps with its line break. It may hold values of secret fields.
        case note
        /// The whole head of a request as it is sent, with all its fields, to the server or to a proxy.
        case requestHead
        /// A line of a response's head.
        case responseHead
        /// A piece of a body, as it is framed on the connection.
        case requestBody, responseBody
    }

    package typealias Listener = @Sendable (Entry, UnsafeRawBufferPointer) -> Void

    let hear: Listener

    /// - Parameter hear: Called on the loops and within libcurl: it must not block, and must not call the kernel.
    package init(_ hear: @escaping Listener) { self.hear = hear }
}

extension WireLog: Equatable {
    package static func == (one: WireLog, other: WireLog) -> Bool { one === other }
}

extension TransferState.Pointer {
    /// Tells the log what libcurl has logged, sent or received. libcurl may deliver a sent head in pieces.
    func tell(_ log: WireLog, _ kind: curl_infotype, _ bytes: UnsafeRawBufferPointer) {
        switch kind {
        case CURLINFO_TEXT: log.hear(.note, bytes)
        case CURLINFO_HEADER_IN: log.hear(.responseHead, bytes)
        case CURLINFO_DATA_OUT: log.hear(.requestBody, bytes)
        case CURLINFO_DATA_IN: log.hear(.responseBody, bytes)
        case CURLINFO_HEADER_OUT:
            pointee.sentHead += bytes
            guard pointee.sentHead.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] else { return }
            pointee.sentHead.withUnsafeBytes { log.hear(.requestHead, $0) }
            pointee.sentHead = []
        default: break
        }
    }
}
