import CCurl
import Transporting

/// What came of an attempt that libcurl wanted to send again.
///
/// libcurl wants to when a connection that it used again ends without a response, when a stream is refused, and when a
/// server demands HTTP/1.1. It is stopped on the way: by `prerequest`, because the body cannot be rewound, or because
/// no new connection can be made. After a 417 it would, too, but it does not know that anything is expected
/// (`EasyHandle`).
enum SecondSending {
    /// It did not want to.
    case notWanted
    /// The code, and what follows host and port in a sentence.
    case failed(PlugboardError.Code, String)

    /// - Parameter state: Of a transfer that has begun to send.
    init(_ result: CURLcode, _ state: TransferState.Pointer, _ handle: EasyHandle, isHeadReported: Bool) {
        guard !isHeadReported, SecondSending.isWanted(result, state, handle) else {
            self = .notWanted
            return
        }
        var bytesSent = 0
        ccurl_get_long(handle.easy, CURLINFO_REQUEST_SIZE, &bytesSent)
        // libcurl may have handed a part of the body to TLS before it counts anything.
        if state.pointee.streamLog.isRefused || bytesSent == 0 && state.pointee.upload.sent == 0 {
            self = .failed(.unprocessed, "did not process the request. It can be sent again.")
        } else {
            self = .failed(
                .stale, "ended the connection before a response came. The request may have been carried out.")
        }
    }

    private static func isWanted(
        _ result: CURLcode, _ state: TransferState.Pointer, _ handle: EasyHandle
    ) -> Bool {
        if state.pointee.streamLog.isRefused { return true }
        switch result {
        case CURLE_ABORTED_BY_CALLBACK: return state.pointee.sendings > 1
        case CURLE_SEND_FAIL_REWIND: return true
        // After the request was sent, these can only be of another connection.
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return true
        // How libcurl tells that an HTTP/2 connection ended before the head came; it does not want to send again then.
        case CURLE_HTTP2, CURLE_PARTIAL_FILE:
            return handle.newConnections == 0
        default: return false
        }
    }
}
