import CCurl
import Transporting

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension PlugboardError {
    /// libcurl's verdict on a transfer in our words. `place` is the host and port; nothing else of the URL is told.
    /// `isUnsent` is whether no byte of the request was sent, `socketError` why no socket could be made, as in `errno`,
    /// or 0.
    init(
        curl code: CURLcode, message: String, place: String, isHeadThere: Bool, isUnsent: Bool, socketError: Int32 = 0
    ) {
        // What may have been carried out must not be told as an attempt without a connection.
        if isUnsent, socketError == EMFILE || socketError == ENFILE || Self.lacksDescriptors() {
            self.init(
                .connect,
                "No file descriptor is left for a connection to \(place). Raise the limit (ulimit -n), or set "
                    + "kernel.connections.")
            return
        }
        let (kind, reason) = PlugboardError.explain(code, place, isHeadThere, message)
        // libcurl's words for a line that is too long speak of memory, and would only mislead.
        if code == CURLE_OUT_OF_MEMORY && !isHeadThere {
            self.init(kind, reason)
            return
        }
        // libcurl quotes a proxy it cannot read, with its password.
        let mayQuote = message.isEmpty || message.utf8.contains { $0 == UInt8(ascii: "@") || $0 == UInt8(ascii: "?") }
        // It also quotes what servers say, such as names in a certificate.
        self.init(kind, reason, underlying: mayQuote ? String(cString: curl_easy_strerror(code)) : printable(message))
    }

    /// Whether the process may open no more files: a name look-up that fails for that does not say so.
    private static func lacksDescriptors() -> Bool {
        let copy = fcntl(0, F_DUPFD_CLOEXEC, 0)
        if copy >= 0 { close(copy) }
        return copy < 0 && (errno == EMFILE || errno == ENFILE)
    }

    private static func explain(
        _ code: CURLcode, _ place: String, _ isHeadThere: Bool, _ message: String
    ) -> (Code, String) {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST:
            (.dns, "The name of \(place) cannot be resolved. Check the spelling and the network.")
        case CURLE_COULDNT_RESOLVE_PROXY:
            (
                .proxy,
                "The name of the proxy for \(place) cannot be resolved. Check the proxy option and the environment."
            )
        case CURLE_PROXY: (.proxy, "The proxy for \(place) refuses or fails. Check its address and credentials.")
        case CURLE_COULDNT_CONNECT:
            if let detour = detour(in: message, to: place) {
                (
                    .connect,
                    "No connection to \(detour) can be made, the way to \(place) by a proxy or connectTo. Check that a "
                        + "server listens there."
                )
            } else {
                (.connect, "No connection to \(place) can be made. Check that a server listens there.")
            }
        case CURLE_INTERFACE_FAILED:
            (
                .invalidOption,
                "The interface to reach \(place) from cannot be used. Check --interface on the command line, or "
                    + "kernel.interface in the configuration."
            )
        case CURLE_OPERATION_TIMEDOUT: (.connectTimeout, "Connecting to \(place) took too long.")
        case CURLE_SSL_CERTPROBLEM:
            (.invalidOption, "The client's certificate or key for \(place) cannot be used. Check the files.")
        case CURLE_SSL_CACERT_BADFILE:
            (
                .invalidOption,
                "The file of trusted certificates for \(place) cannot be read. Check --cacert on the command line, or "
                    + "kernel.tls.ca in the configuration."
            )
        case CURLE_PEER_FAILED_VERIFICATION:
            (.tlsCertificate, "The certificate of \(place) is not to be trusted. Nothing was sent.")
        case CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            (.tls, "The public key of \(place) is none of those that are pinned. Nothing was sent.")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS,
            CURLE_SSL_CLIENTCERT, CURLE_USE_SSL_FAILED, CURLE_SSL_ENGINE_INITFAILED:
            (.tls, "No secure connection to \(place) can be agreed on. Nothing was sent.")
        case CURLE_URL_MALFORMAT where !place.utf8.allSatisfy { $0 < 0x80 }:
            (.invalidURL, "The host of \(place) is not written in ASCII. Write the host as xn--….")
        case CURLE_URL_MALFORMAT: (.invalidURL, "The request's URL or proxy for \(place) cannot be read.")
        case CURLE_SEND_FAIL_REWIND:
            (.bodyRewind, "The connection to \(place) was lost and the request's body cannot begin again.")
        case _ where isHeadThere: afterHead(code, place)
        case CURLE_GOT_NOTHING: (.reset, "\(place) closed the connection without an answer.")
        case CURLE_SEND_ERROR: (.reset, "The connection to \(place) was lost while the request was sent.")
        case CURLE_RECV_ERROR: (.reset, "The connection to \(place) was lost before an answer came.")
        case CURLE_HTTP2_STREAM: (.reset, "\(place) ended the stream without an answer.")
        case CURLE_OUT_OF_MEMORY:
            (.malformed, "A line in the head of the answer from \(place) is longer than libcurl takes.")
        case CURLE_HTTP2, CURLE_PARTIAL_FILE:
            (.reset, "\(place) ended the connection of HTTP/2 before a response came.")
        default: (.malformed, "The answer from \(place) is not HTTP as it should be.")
        }
    }

    /// Where libcurl says it tried to connect, if that is not the URL's own place.
    private static func detour(in message: String, to place: String) -> String? {
        let words = message.split(separator: " ")
        guard message.hasPrefix("Failed to connect to "), words.count > 6, words[5] == "port" else { return nil }
        let host = words[4].contains(":") && !words[4].hasPrefix("[") ? "[\(words[4])]" : String(words[4])
        let tried = "\(host):\(words[6])"
        return tried == place ? nil : tried
    }

    private static func afterHead(_ code: CURLcode, _ place: String) -> (Code, String) {
        switch code {
        case CURLE_BAD_CONTENT_ENCODING, CURLE_WEIRD_SERVER_REPLY:
            (.malformed, "The body of the answer from \(place) is not framed as HTTP says.")
        default: (.bodyCut, "The body of the answer from \(place) ended before it was whole.")
        }
    }
}
