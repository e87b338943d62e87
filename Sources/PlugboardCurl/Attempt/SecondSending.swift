import CPlugboardCurl
import PlugboardTransport

/// The result of an attempt whose request libcurl wanted to send a second time.
///
/// libcurl does so when a reused connection ends without a response, when a stream is refused, and when a server
/// demands HTTP/1.1. The second sending never happens: `prerequest` refuses it, the body cannot be rewound, or no new
/// connection opens. libcurl would also resend after a 417, but it does not see the request's `Expect` (`EasyHandle`).
enum SecondSending {
    /// libcurl did not want to send the request again.
    case notWanted
    /// The error's code, and its reason without the host and port at the beginning.
    case failed(PlugboardError.Code, String)

    /// - Parameter state: The state of a transfer that has begun to send.
    init(_ result: CURLcode, _ state: TransferState.Pointer, _ handle: EasyHandle, isHeadReported: Bool) {
        guard !isHeadReported, SecondSending.isWanted(result, state, handle) else {
            self = .notWanted
            return
        }
        var bytesSent = 0
        ccurl_get_long(handle.easy, CURLINFO_REQUEST_SIZE, &bytesSent)
        // libcurl may have handed a part of the body to TLS before it counts anything.
        if state.pointee.streamLog.isRefused || bytesSent == 0 && state.pointee.upload.sent == 0 {
            self = .failed(.transportUnprocessed, "did not process the request.")
        } else {
            self = .failed(
                .transportStale, "closed the connection before the response. It may have processed the request.")
        }
    }

    private static func isWanted(
        _ result: CURLcode, _ state: TransferState.Pointer, _ handle: EasyHandle
    ) -> Bool {
        if state.pointee.streamLog.isRefused { return true }
        switch result {
        case CURLE_ABORTED_BY_CALLBACK: return state.pointee.sendings > 1
        case CURLE_SEND_FAIL_REWIND: return true
        // After the request was sent, these errors can only be those of another connection.
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT,
            CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return true
        // libcurl's errors for an HTTP/2 connection that ended before the head; it does not send again then.
        case CURLE_HTTP2, CURLE_PARTIAL_FILE:
            return handle.newConnections == 0
        default: return false
        }
    }
}
