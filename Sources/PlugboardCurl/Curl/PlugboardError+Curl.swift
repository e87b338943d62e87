import CPlugboardCurl
import PlugboardSystem
import PlugboardTransport

extension PlugboardError {
    /// The error for a result of libcurl.
    ///
    /// - Parameters:
    ///   - hostAndPort: The only part of the URL that the reason quotes.
    ///   - isUnsent: Whether no byte of the request was sent.
    ///   - isHeadSent: Whether a byte of the request's head was sent.
    ///   - isHTTP2: Whether the request was sent as a stream of HTTP/2.
    ///   - socketError: Why no socket could be opened, as in `errno`, or 0.
    ///   - activity: What the attempt did, as the end of a sentence about a timeout.
    init(
        curl code: CURLcode, message: String, hostAndPort: String, isHeadThere: Bool, isUnsent: Bool,
        isHeadSent: Bool = true, isHTTP2: Bool = false, socketError: Int32 = 0, activity: String = ""
    ) {
        // A request that may have been processed must not be reported as an attempt without a connection.
        if isUnsent, socketError == EMFILE || socketError == ENFILE || Self.lacksDescriptors() {
            self.init(
                .transportConnect,
                "No file descriptor is left for a connection to \(hostAndPort). Raise the limit (ulimit -n), or set "
                    + "kernel.connections.")
            return
        }
        if code == CURLE_OUT_OF_MEMORY || code.rawValue == Self.tooLarge, !isHeadThere, !isHeadSent {
            self.init(
                .requestField,
                "The head of the request to \(hostAndPort) is longer than libcurl allows, which is 1 MiB. Nothing was sent."
            )
            return
        }
        let (kind, reason) =
            PlugboardError.isMalformedHTTP2(code, message, isHTTP2: isHTTP2)
            ? (.transportProtocol, "\(hostAndPort) sent what is not valid HTTP/2 (RFC 9113 §5.4).")
            : PlugboardError.explain(code, hostAndPort, isHeadThere, message, activity)
        // libcurl reports a line that is too long as lack of memory, which would mislead.
        if code == CURLE_OUT_OF_MEMORY && !isHeadThere {
            self.init(kind, reason)
            return
        }
        // libcurl quotes a proxy that it cannot parse, with its password.
        let mayHoldSecret = message.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }
        // libcurl also quotes texts of servers, such as names in a certificate.
        self.init(
            kind, reason,
            underlying: message.isEmpty || mayHoldSecret
                ? String(cString: curl_easy_strerror(code)) : Printable.text(Self.withoutFieldValue(message)))
    }

    /// The error for a Unix domain socket that does not connect: libcurl's message names the URL's host and port.
    init(unixSocket path: String, hostAndPort: String, of easy: UnsafeMutableRawPointer) {
        var number = 0
        ccurl_get_long(easy, CURLINFO_OS_ERRNO, &number)
        self.init(
            .transportConnect,
            "No connection to the socket \(Printable.text(path)) can be opened, which is used for \(hostAndPort). Check that "
                + "a server listens there.",
            underlying: number == 0 ? nil : systemText(Int32(truncatingIfNeeded: number)))
    }

    /// CURLE_TOO_LARGE of newer libcurls.
    private static var tooLarge: UInt32 { 100 }

    /// libcurl quotes a field of HTTP/2 that is not allowed, with its value, which may be a cookie.
    private static func withoutFieldValue(_ message: String) -> String {
        guard message.hasPrefix(invalidField) else { return message }
        return message.split(separator: ",", maxSplits: 3).prefix(3).joined(separator: ",")
    }

    /// The beginning of newer libcurls' message for a field that makes a response malformed (RFC 9113 §8.1.1): frame
    /// type, stream, name and value, with commas between.
    private static let invalidField = "Invalid HTTP header field was received"

    /// Whether nghttp2 ended the connection, or the stream, because of what the server sent.
    ///
    /// 7.88.1 reports such a connection as one without a response, and never does so for an HTTP/2 connection that the
    /// server closed.
    private static func isMalformedHTTP2(_ code: CURLcode, _ message: String, isHTTP2: Bool) -> Bool {
        switch code {
        case CURLE_GOT_NOTHING: isHTTP2
        case CURLE_HTTP2: message.hasPrefix("nghttp2 shuts down connection") || message.hasPrefix("nghttp2 recv error")
        // "[HTTP2] [1] received invalid frame: …"
        case CURLE_HTTP2_STREAM: message.hasPrefix("[HTTP2] [")
        default: false
        }
    }

    /// Whether the process can open no more files. A name look-up that fails for this reason does not report it.
    private static func lacksDescriptors() -> Bool {
        let copy = fcntl(0, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { close(copy) }
        return copy < 0 && (errno == EMFILE || errno == ENFILE)
    }

    private static func explain(
        _ code: CURLcode, _ hostAndPort: String, _ isHeadThere: Bool, _ message: String, _ activity: String
    ) -> (Code, String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            (.transportDNS, "The name of \(hostAndPort) cannot be resolved. Check the spelling and the network.")
        case CURLE_COULDNT_RESOLVE_PROXY:
            (
                .transportProxy,
                "The name of the proxy for \(hostAndPort) cannot be resolved. Check request.options.proxy, kernel.proxy "
                    + "(on the command line --proxy), and the environment variables for proxies."
            )
        case CURLE_PROXY:
            (
                .transportProxy,
                "The proxy for \(hostAndPort) refused the request or failed. Check its address and credentials."
            )
        case CURLE_COULDNT_CONNECT:
            if let detour = detour(in: message, to: hostAndPort) {
                (
                    .transportConnect,
                    "No connection to \(detour) can be opened, which is the proxy or the connectTo target for "
                        + "\(hostAndPort). Check that a server listens there."
                )
            } else {
                (.transportConnect, "No connection to \(hostAndPort) can be opened. Check that a server listens there.")
            }
        case CURLE_INTERFACE_FAILED:
            (
                .requestOption,
                "The network interface for \(hostAndPort) cannot be used. Check request.options.interface or "
                    + "kernel.interface (on the command line --interface)."
            )
        case CURLE_OPERATION_TIMEDOUT:
            (.timeoutConnect, "Connecting to \(hostAndPort) took too long (connectTimeout)\(activity).")
        case CURLE_SSL_CERTPROBLEM:
            (
                .requestOption,
                "The client's certificate or key for \(hostAndPort) cannot be used. Each must be a readable file in "
                    + "PEM form. Check request.options.tls.certificate and request.options.tls.key, or kernel.tls.certificate and "
                    + "kernel.tls.key (on the command line --cert and --key)."
            )
        case CURLE_SSL_CACERT_BADFILE:
            (
                .requestOption,
                "The file of trusted certificates for \(hostAndPort) cannot be read, or holds no certificate in PEM form. "
                    + "Check request.options.tls.ca or kernel.tls.ca (on the command line --cacert)."
            )
        case CURLE_PEER_FAILED_VERIFICATION where message.hasSuffix(TLSLibrary.namelessMessage):
            (
                .transportTLSCertificate,
                "The certificate of \(hostAndPort) has no host in subjectAltName, and its common name does not count (RFC 9525 "
                    + "§6.3). Nothing was sent."
            )
        case CURLE_PEER_FAILED_VERIFICATION:
            (.transportTLSCertificate, "The certificate of \(hostAndPort) is not trusted. Nothing was sent.")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (.transportTLS, "The public key of \(hostAndPort) is not one of the pins. Nothing was sent.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            (.transportTLS, "The TLS handshake with \(hostAndPort) failed. Nothing was sent.")
        case CURLE_URL_MALFORMAT where !hostAndPort.utf8.allSatisfy { $0 < 0x80 }:
            (.requestURL, "The host of \(hostAndPort) is not ASCII. Write the host as xn--….")
        case CURLE_URL_MALFORMAT:
            (.requestURL, "The URL of the request to \(hostAndPort), or of its proxy, is invalid.")
        case CURLE_SEND_FAIL_REWIND:
            (.bodyRewind, "The connection to \(hostAndPort) was lost, and the request's body cannot be sent again.")
        case _ where isHeadThere: afterHead(code, hostAndPort)
        case CURLE_HTTP2_STREAM where message.hasPrefix(invalidField):
            (.transportProtocol, "\(hostAndPort) sent a field that HTTP/2 does not allow (RFC 9113 §8.2).")
        case CURLE_GOT_NOTHING: (.transportReset, "\(hostAndPort) closed the connection without a response.")
        case CURLE_SEND_ERROR:
            (.transportReset, "The connection to \(hostAndPort) was lost while the request was sent.")
        case CURLE_RECV_ERROR: (.transportReset, "The connection to \(hostAndPort) was lost before the response.")
        case CURLE_HTTP2_STREAM where message.hasSuffix(": PROTOCOL_ERROR (err 1)"):
            // libcurl reports the same for a reset by either side.
            (
                .transportProtocol,
                "The response from \(hostAndPort) is not valid HTTP/2, or the server says so of the request."
            )
        case CURLE_HTTP2_STREAM: (.transportReset, "\(hostAndPort) ended the stream without a response.")
        case CURLE_OUT_OF_MEMORY:
            (
                .transportProtocol,
                "A line in the head of the response from \(hostAndPort) is longer than libcurl allows."
            )
        case CURLE_HTTP2, CURLE_PARTIAL_FILE:
            (.transportReset, "\(hostAndPort) closed the HTTP/2 connection before the response.")
        default: (.transportProtocol, "The response from \(hostAndPort) is not valid HTTP.")
        }
    }

    /// The host and port to which libcurl tried to connect, according to its message; nil if they are those of the URL.
    private static func detour(in message: String, to hostAndPort: String) -> String? {
        let words = message.split(separator: " ")
        guard message.hasPrefix("Failed to connect to "), words.count > 6, words[5] == "port" else { return nil }
        let host = words[4].contains(":") && !words[4].hasPrefix("[") ? "[\(words[4])]" : String(words[4])
        let tried = "\(host):\(words[6])"
        return tried == hostAndPort ? nil : tried
    }

    private static func afterHead(_ code: CURLcode, _ hostAndPort: String) -> (Code, String) {
        switch code {
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WEIRD_SERVER_REPLY:
            (.transportProtocol, "The body of the response from \(hostAndPort) is not framed as HTTP requires.")
        default: (.bodyCut, "The body of the response from \(hostAndPort) ended before it was complete.")
        }
    }
}
