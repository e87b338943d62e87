import CCurl

/// What the libcurl of this process does soundly, asked of its version at run time.
///
/// Debian 12 has libcurl 7.88.1; its backports have 8.14.1. What the older one cannot do soundly is not done on it. Every
/// difference between the two stands here.
public struct CurlAbilities: Sendable {
    /// Such as `8.14.1`.
    public let version: String

    /// Request bodies that are not sent at once, over HTTP/2.
    ///
    /// 7.88.1 reads the connection's input again when it stops sending a body early, or sends the end of one of unknown
    /// length; bytes of other streams that wait for their reader are then lost. So what may take longer than the window
    /// that a stream begins with goes by HTTP/1.1, or, where HTTP/2 is demanded, on a connection of its own; and
    /// smaller bodies are sent to their end, whatever the server responds meanwhile.
    let sendsLongBodiesOverHTTP2: Bool

    /// The largest body that is sent at once: the window that a stream begins with (RFC 9113 §6.9.2).
    static let shortBody = 65_535

    /// An easy handle is used again after it has sent a body.
    ///
    /// 7.88.1 never resets `trailers_state`, and writes before its upload buffer when the next body is sent in chunks.
    let reusesHandlesAfterUploads: Bool

    /// What libcurl holds back of a paused response is freed with the handle.
    ///
    /// 7.88.1 frees it only where no other transfer uses the connection. So it is taken from it before a transfer ends.
    let freesHeldBytes: Bool

    /// libcurl tells, in what it logs of a transfer, that the server refused a stream of a connection that was used again.
    ///
    /// 7.88.1 tells that of new connections only. A request that was refused on another one is taken as perhaps carried
    /// out.
    package let tellsRefusedStreams: Bool

    /// A connection of HTTP/2 without TLS is used for several requests.
    ///
    /// 7.88.1 ends with error 16 where such a connection is used a second time.
    package let reusesClearHTTP2: Bool

    /// Attempts that may share a connection get none of HTTP/1.1 that another attempt is using.
    ///
    /// 7.88.1 gives them one, where it has connections of both versions to a host: each then reads the other's
    /// response. So the connections of attempts that may not share are kept apart from those of attempts that may.
    let keepsVersionsApart: Bool

    /// A response over HTTP/2 that is complete before the request's body is sent.
    ///
    /// 7.88.1 loses such a response, or its body, when the server then closes the stream (RFC 9113 §8.1), and tells of
    /// an error. Nothing can be held back for that.
    package let readsEarlyHTTP2Responses: Bool

    /// The most fields of a head that libcurl takes, all interim heads included; nil where it does not count them.
    ///
    /// Newer versions refuse a response with more, whatever the kernel's own limit is.
    package let fieldLimit: Int?

    /// The oldest version that passed the load tests without a restriction.
    private static let sound: UInt32 = 0x080E00

    /// The libcurl that is loaded.
    public static let current: CurlAbilities = {
        guard let info = ccurl_version() else { return CurlAbilities(number: 0, version: "unknown") }
        return CurlAbilities(number: info.pointee.version_num, version: String(cString: info.pointee.version))
    }()

    /// - Parameter number: As in `CURLVERSION_NUM`: 0xXXYYZZ.
    init(number: UInt32, version: String) {
        self.version = version
        let isSound = number >= CurlAbilities.sound
        sendsLongBodiesOverHTTP2 = isSound
        reusesHandlesAfterUploads = isSound
        freesHeldBytes = isSound
        tellsRefusedStreams = isSound
        reusesClearHTTP2 = isSound
        keepsVersionsApart = isSound
        readsEarlyHTTP2Responses = isSound
        fieldLimit = isSound ? 5000 : nil
    }

    /// What is held back or goes wrong because of the version, a sentence each; empty where nothing does.
    public var restrictions: [String] {
        var sentences: [String] = []
        if !sendsLongBodiesOverHTTP2 {
            sentences.append(
                "Request bodies of unknown length or of more than \(CurlAbilities.shortBody) bytes are sent by HTTP/1.1."
            )
        }
        if !reusesClearHTTP2 { sentences.append("HTTP/2 without TLS opens a connection for each request.") }
        if !reusesHandlesAfterUploads { sentences.append("A handle that has sent a body is not used again.") }
        if !tellsRefusedStreams {
            sentences.append(
                "A request over HTTP/2 that a server refuses on a kept connection is taken as perhaps carried out.")
        }
        if !readsEarlyHTTP2Responses {
            sentences.append(
                "A response over HTTP/2 that comes before the request's body is sent may be reported as a lost connection."
            )
        }
        return sentences
    }
}
