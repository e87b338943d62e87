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
        /// The chain of certificates of a server, at the end of the attempt that opened the connection: libcurl's texts
        /// for each, which end with NUL. Only for a log that wants them.
        case certificates
    }

    package typealias Listener = @Sendable (Entry, UnsafeRawBufferPointer) -> Void

    let hear: Listener
    let wantsCertificates: Bool

    /// - Parameter hear: Called on the loops and within libcurl: it must not block, and must not call the kernel.
    package init(wantsCertificates: Bool = false, _ hear: @escaping Listener) {
        (self.wantsCertificates, self.hear) = (wantsCertificates, hear)
    }

    /// Tells the certificates that the transfer of a handle has got, if they are wanted.
    func tellCertificates(of easy: UnsafeMutableRawPointer) {
        guard wantsCertificates, let chain = ccurl_certificates(easy)?.pointee, let texts = chain.certinfo else {
            return
        }
        var all: [UInt8] = []
        for index in 0..<Int(chain.num_of_certs) {
            var text = texts[index]
            while let entry = text?.pointee {
                let line = entry.data.map { String(cString: $0) } ?? ""
                all += (line.hasSuffix("\n") ? line : line + "\n").utf8
                text = entry.next
            }
            all.append(0)
        }
        if !all.isEmpty { all.withUnsafeBytes { hear(.certificates, $0) } }
    }
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
