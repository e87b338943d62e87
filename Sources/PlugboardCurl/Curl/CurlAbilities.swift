import CPlugboardCurl

/// What the libcurl of this process does correctly, decided by its version at run time.
///
/// Debian 12 has libcurl 7.88.1; its backports have 8.14.1. What is faulty in the older one is not used with
/// it. All differences between the two are listed here.
package struct CurlAbilities: Sendable {
    /// The version, such as `8.14.1`.
    package let version: String

    /// Long request bodies can be sent over HTTP/2.
    ///
    /// 7.88.1 reads the connection's input again when it stops sending a body early, or when it sends the end of a body
    /// of unknown length; bytes of other streams that wait for their readers are then lost. So bodies that may exceed
    /// the initial window of a stream are sent by HTTP/1.1, or, if HTTP/2 is demanded, on a connection of their own.
    /// Smaller bodies are sent to their end, even after the server has responded.
    let sendsLongBodiesOverHTTP2: Bool

    /// The largest body that is sent at once: the initial window of a stream (RFC 9113 §6.9.2).
    static let shortBody = 65_535

    /// Why a request with a long body was sent by HTTP/1.1, and what can be done.
    var reasonForHTTP1: String {
        "libcurl \(version) sends bodies of unknown length or over \(CurlAbilities.shortBody) bytes by HTTP/1.1. If the server "
            + "speaks only HTTP/2, demand that (request.options.httpVersion, on the command line --http2), or use libcurl 8.14."
    }

    /// An easy handle can be used again after it has sent a body.
    ///
    /// 7.88.1 never resets `trailers_state`, and writes before the start of its upload buffer when the next body is
    /// sent with the chunked coding.
    let reusesHandlesAfterUploads: Bool

    /// The bytes that libcurl holds back of a paused response are freed with the handle.
    ///
    /// 7.88.1 frees them only if no other transfer uses the connection. So they are read before a transfer ends.
    let freesHeldBytes: Bool

    /// The log of a transfer reports that the server refused a stream of a reused connection.
    ///
    /// 7.88.1 reports it for new connections only. A request that was refused on another connection is treated like one
    /// that may have been processed.
    package let tellsRefusedStreams: Bool

    /// An HTTP/2 connection without TLS can be used for several requests.
    ///
    /// 7.88.1 ends with error 16 when such a connection is used a second time.
    package let reusesClearHTTP2: Bool

    /// Attempts that may share a connection get no HTTP/1.1 connection that another attempt is using.
    ///
    /// 7.88.1 gives them such a connection if it has connections of both versions to a host: each attempt may then read
    /// the other's response. So attempts that cannot share connections use connections that the others cannot find.
    let keepsVersionsApart: Bool

    /// A response over HTTP/2 can be complete before the request's body is sent.
    ///
    /// 7.88.1 loses such a response, or its body, if the server then closes the stream (RFC 9113 §8.1), and reports an
    /// error, as it does for any stream that the server resets while libcurl has not read all of its response. There is
    /// no workaround. It does not report the end of a stream before the request's end either, so
    /// that such a response is known to be whole only by its Content-Length.
    package let readsEarlyHTTP2Responses: Bool

    /// A body over HTTP/2 without Content-Length, which ends with an error of the connection, is reported as cut.
    ///
    /// 7.88.1 reports it as complete, and nothing that it logs tells it from a complete one.
    package let tellsMalformedBodies: Bool

    /// The most bytes of the name or value of a request's field; nil if only the head is limited.
    ///
    /// Newer versions omit a longer field without an error; this transport refuses such a request.
    let fieldSizeLimit: Int?

    /// The most fields of a head that libcurl accepts, including all interim heads; nil if it has no limit.
    ///
    /// Newer versions refuse a response with more, independently of the kernel's limit.
    package let fieldLimit: Int?

    /// Names in certificates and ends of connections are judged as RFC 9525 §6.3 and RFC 9112 §9.8 demand.
    let hasStrictTLS: Bool

    /// The oldest version that passed the load tests without restrictions.
    private static let sound: UInt32 = 0x080E00

    /// The abilities of the libcurl that is loaded.
    package static let current: CurlAbilities = {
        guard let info = ccurl_version() else { return CurlAbilities(number: 0, version: "unknown") }
        return CurlAbilities(number: info.pointee.version_num, version: String(cString: info.pointee.version))
    }()

    /// - Parameters:
    ///   - number: The version as in `LIBCURL_VERSION_NUM`: 0xXXYYZZ.
    ///   - hasStrictTLS: Whether its TLS library is an OpenSSL whose functions are available.
    init(number: UInt32, version: String, hasStrictTLS: Bool = TLSLibrary.isStrict) {
        self.version = version
        self.hasStrictTLS = hasStrictTLS
        let isSound = number >= CurlAbilities.sound
        sendsLongBodiesOverHTTP2 = isSound
        reusesHandlesAfterUploads = isSound
        freesHeldBytes = isSound
        tellsRefusedStreams = isSound
        reusesClearHTTP2 = isSound
        keepsVersionsApart = isSound
        readsEarlyHTTP2Responses = isSound
        tellsMalformedBodies = isSound
        fieldSizeLimit = isSound ? 307_199 : nil
        fieldLimit = isSound ? 5000 : nil
    }

    /// The restrictions and known errors of this version, one sentence for each; empty if there are none.
    package var restrictions: [String] {
        var sentences: [String] = []
        if !sendsLongBodiesOverHTTP2 {
            sentences.append(
                "Request bodies of unknown length, or of more than \(CurlAbilities.shortBody) bytes, use HTTP/1.1.")
        }
        if !reusesClearHTTP2 { sentences.append("HTTP/2 without TLS opens a connection for each request.") }
        if !reusesHandlesAfterUploads { sentences.append("A handle that has sent a body is not used again.") }
        if !tellsRefusedStreams {
            sentences.append(
                "A request over HTTP/2 that a server refuses on a kept connection is reported as possibly processed.")
        }
        if !readsEarlyHTTP2Responses {
            sentences.append(
                "A response over HTTP/2 whose stream the server resets, also because it wants no more of the request's "
                    + "body, may be reported as a lost connection."
            )
        }
        if !tellsMalformedBodies {
            sentences.append(
                "A body over HTTP/2 without Content-Length that is cut by a malformed frame is reported as complete.")
        }
        if !hasStrictTLS {
            sentences.append(
                "A server's certificate may name its host in the common name only, and the end of a TLS connection is the "
                    + "end of a body even without close_notify, because its TLS library is not OpenSSL.")
        }
        return sentences
    }
}
