import CPlugboardCurl
import PlugboardTransport

/// One of libcurl's easy handles. It is reused after each transfer that ended without an error, and an option is set
/// only when it changes.
///
/// Used on the loop's thread only.
final class EasyHandle {
    /// The three ways in which libcurl handles bodies; the name of the method is set separately.
    private enum Shape { case get, head, upload }

    let easy: UnsafeMutableRawPointer
    let state: TransferState.Pointer
    // Unowned without checks: the owner of a handle is the multi handle, or a transfer that keeps the multi handle.
    private unowned(unsafe) let multi: MultiHandle
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let fields = FieldList()
    private let proxyFields = FieldList()
    /// The option `connectTo`, if it has entries.
    private var connectTo: ConnectToTable?
    private var target = ConnectTarget()
    private var identity: UInt64?
    private var shape = Shape.get
    private var methodName: String?
    private var hasProxyFields = false
    private var version: Int?
    /// Whether the transfer may share a connection with others.
    private(set) var mayMultiplex = false
    private var isAlone = false
    private var isFresh = false
    private var isApart = false
    /// Whether libcurl cannot send the body by HTTP/2, which the server may demand.
    private(set) var isDowngraded = false
    private var sendsOnAfterErrors = false
    /// The hosts that bypass the proxy; nil if there is no proxy, or no such list.
    private var bypass: ProxyBypass?
    private(set) var isBypassing = false
    private var minimumTLS: RequestOptions.TLSVersion?
    /// False if a transfer may have left a state in libcurl's handle that would disturb the next one.
    private(set) var isReusable = true
    /// Kept because libcurl points to it.
    // Unchecked like `alarm`, because releasing the old object calls nothing that uses the handle.
    @exclusivity(unchecked) private var url: URLHandle?
    /// Kept from one transfer to the next: cancelling and setting it again costs more than one superfluous call.
    @exclusivity(unchecked) private var alarm: LoopTimer?

    init?(multi: MultiHandle) {
        guard let easy = curl_easy_init() else { return nil }
        self.multi = multi
        self.easy = easy
        state = .allocate(capacity: 1)
        state.initialize(
            to: TransferState(easy: easy, multi: multi))
        errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
    }

    deinit {
        alarm?.cancel()
        curl_easy_cleanup(easy)
        state.pointee.touched.pointee.remove(state)
        state.pointee.received.removeAll()
        state.pointee.head.deallocate()
        state.deinitialize(count: 1)
        state.deallocate()
        errorText.deallocate()
    }

    /// libcurl's message for the last error; empty if there is none.
    var errorMessage: String { String(cString: errorText) }

    /// - Parameter avoidsKept: Whether connections of earlier requests must not be used.
    func prepare(
        _ attempt: AttemptRequest, url: URLHandle, body: RequestBody, avoidsKept: Bool = false
    ) throws(PlugboardError) {
        if identity != attempt.optionsIdentity {
            try configure(attempt.options)
            identity = attempt.optionsIdentity
        }
        errorText.pointee = 0
        self.url = url
        if let bypass { setBypass(bypass.contains(url.origin)) }
        if let connectTo { target.set(connectTo.target(of: url.origin), for: easy) }
        ccurl_set_url(easy, url.handle)
        setMethod(attempt.method, body)
        try setFields(attempt.fields, body)
        setConnection(
            ConnectionChoice(
                attempt, url, body, multi.abilities,
                avoidsHTTP2: multi.refusingHosts.contains(url.hostAndPort, at: multi.loop.systemNow),
                avoidsKept: avoidsKept),
            listens: body.source != nil || !attempt.method.isIdempotent)
        isReusable = body.source == nil || multi.abilities.reusesHandlesAfterUploads
    }

    /// Whether a byte of the request's head was sent.
    var hasSentHead: Bool { number(CURLINFO_REQUEST_SIZE) > 0 }

    /// The number of connections that were opened for the transfer; 0 if it uses an open one.
    var newConnections: Int { number(CURLINFO_NUM_CONNECTS) }

    private func number(_ info: CURLINFO) -> Int {
        var value = 0
        ccurl_get_long(easy, info, &value)
        return value
    }

    /// Calls `checkClock` of the transfer that has the handle, at the deadline or earlier.
    func setAlarm(at deadline: Int64) {
        if let alarm, alarm.isPending {
            if alarm.deadline > deadline { alarm.move(to: deadline) }
            return
        }
        alarm = multi.loop.schedule(at: deadline) { [unowned self] in
            state.pointee.transfer?.takeUnretainedValue().checkClock()
        }
    }

    /// Releases the objects of the transfer. The handle can be used again if the transfer ended without an error.
    func idle(isClean: Bool) {
        if !isClean { isReusable = false }
        state.endSending()
        state.pointee.end()
        url = nil
    }

    /// Discards the bytes of a paused response that libcurl holds back. Does nothing if the transfer is not paused.
    func dropHeldBytes() {
        guard state.pointee.pausedParts & CURLPAUSE_RECV != 0 else { return }
        state.pointee.isDiscarding = true
        state.pointee.pausedParts = CURLPAUSE_CONT
        curl_easy_pause(easy, CURLPAUSE_CONT)
    }

    private func configure(_ options: RequestOptions) throws(PlugboardError) {
        identity = nil
        curl_easy_reset(easy)
        connectTo = nil
        target.set(nil, for: easy)
        (shape, methodName, hasProxyFields) = (.get, nil, false)
        (mayMultiplex, isAlone, isFresh, isApart, sendsOnAfterErrors) = (false, false, false, false, false)
        state.pointee.isListening = false
        minimumTLS = options.tls.minimum
        version = nil
        setCallbacks()
        let setter = EasyOptions(
            easy: easy, settings: multi.settings, usesEnvironment: multi.usesProxyEnvironment)
        try setter.apply(options)
        if let option = options.connectTo, !option.isEmpty { connectTo = try multi.connectToTable(option) }
        let mayUseProxy = options.proxy.map { !$0.isEmpty } ?? multi.usesProxyEnvironment
        bypass = mayUseProxy ? options.noProxy.map { ProxyBypass($0) } ?? multi.environmentBypass : nil
        isBypassing = false
    }

    private func setBypass(_ isWanted: Bool) {
        guard isWanted != isBypassing else { return }
        isBypassing = isWanted
        EasyOptions.setBypass(easy, isWanted)
    }

    private func setCallbacks() {
        ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
        ccurl_set_pointer(easy, CURLOPT_SHARE, multi.share)
        for option in [
            CURLOPT_PRIVATE, CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_READDATA, CURLOPT_PREREQDATA,
            CURLOPT_TRAILERDATA, CURLOPT_DEBUGDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_RESOLVER_START_DATA,
        ] {
            ccurl_set_pointer(easy, option, state)
        }
        ccurl_set_pointer(easy, CURLOPT_CLOSESOCKETDATA, Unmanaged.passUnretained(multi).toOpaque())
        ccurl_set_transfer(easy, CURLOPT_HEADERFUNCTION, Callbacks.header)
        ccurl_set_transfer(easy, CURLOPT_WRITEFUNCTION, Callbacks.body)
        ccurl_set_transfer(easy, CURLOPT_READFUNCTION, Callbacks.upload)
        ccurl_set_prerequest(easy, Callbacks.prerequest)
        ccurl_set_debug(easy, Callbacks.debug)
        if let log = multi.wireLog {
            ccurl_set_long(easy, CURLOPT_VERBOSE, 1)
            if log.wantsCertificates { ccurl_set_long(easy, CURLOPT_CERTINFO, 1) }
        }
        ccurl_set_resolver_start(easy, Callbacks.resolverStart)
        ccurl_set_open_socket(easy, Callbacks.openSocket)
        ccurl_set_close_socket(easy, Callbacks.closeSocket)
    }

    private func setMethod(_ method: Method, _ body: RequestBody) {
        let wanted: Shape = body.source != nil ? .upload : method == .head ? .head : .get
        if wanted != shape {
            shape = wanted
            switch wanted {
            case .get: ccurl_set_long(easy, CURLOPT_HTTPGET, 1)
            case .head: ccurl_set_long(easy, CURLOPT_NOBODY, 1)
            case .upload: ccurl_set_long(easy, CURLOPT_UPLOAD, 1)
            }
        }
        if wanted == .upload {
            ccurl_set_offset(easy, CURLOPT_INFILESIZE_LARGE, Int64(body.length ?? -1))
            // Trailers need the chunked coding (RFC 9112 §7.1.2).
            ccurl_set_trailer(easy, body.length == nil ? Callbacks.trailer : nil)
        }
        let name = wanted == .get && method == .get || wanted == .head ? nil : method.name
        if name != methodName {
            methodName = name
            ccurl_set_text(easy, CURLOPT_CUSTOMREQUEST, name)
        }
    }

    private func setConnection(_ choice: ConnectionChoice, listens: Bool) {
        isDowngraded = choice.isDowngraded
        if choice.isAlone != isAlone {
            isAlone = choice.isAlone
            ccurl_set_long(easy, CURLOPT_FORBID_REUSE, isAlone ? 1 : 0)
        }
        if choice.isFresh != isFresh {
            isFresh = choice.isFresh
            ccurl_set_long(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        }
        if choice.isApart != isApart {
            isApart = choice.isApart
            EasyOptions.setTLSVersions(easy, minimumTLS, isApart: isApart)
        }
        if choice.version != version {
            version = choice.version
            ccurl_set_long(easy, CURLOPT_HTTP_VERSION, choice.version)
        }
        // libcurl then waits for a connection that is being opened, if it may be shared.
        if choice.mayMultiplex != mayMultiplex {
            mayMultiplex = choice.mayMultiplex
            ccurl_set_long(easy, CURLOPT_PIPEWAIT, mayMultiplex ? 1 : 0)
        }
        if choice.sendsOnAfterErrors != sendsOnAfterErrors {
            sendsOnAfterErrors = choice.sendsOnAfterErrors
            ccurl_set_long(easy, CURLOPT_KEEP_SENDING_ON_ERROR, sendsOnAfterErrors ? 1 : 0)
        }
        // libcurl's log shows a refused stream, which matters for requests that must not be processed twice, and the
        // end of a response, which matters while the request's body is still being sent.
        state.pointee.mayBeHTTP2 = choice.mayBeHTTP2 && (url?.isSecure == true || choice.isHTTP2Known)
        let listens = choice.mayBeHTTP2 && listens
        if listens != state.pointee.isListening {
            state.pointee.isListening = listens
            ccurl_set_long(easy, CURLOPT_VERBOSE, listens || multi.wireLog != nil ? 1 : 0)
        }
    }

    private func setFields(_ requested: Fields, _ body: RequestBody) throws(PlugboardError) {
        fields.removeAll()
        proxyFields.removeAll()
        var (saysAccept, saysExpect) = (false, false)
        requested.forEachField { name, value in
            switch KnownField(name) {
            case .contentLength: return
            case .proxyAuthorization: return proxyFields.append(name, value)
            case .accept where body.waitsForContinue, .expect where body.waitsForContinue: return
            case .accept: saysAccept = true
            case .expect: saysExpect = true
            case .transferEncoding, nil: break
            }
            fields.append(name, value)
        }
        if body.source != nil, !saysExpect { fields.suppress("Expect") }
        if body.waitsForContinue { setExpectation(requested) } else if !saysAccept { fields.suppress("Accept") }
        if body.saysNothing { fields.appendEmptyLength() }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, try fields.list(for: multi.abilities))
        let proxyList = try proxyFields.list(for: multi.abilities)
        if proxyList != nil || hasProxyFields {
            ccurl_set_list(easy, CURLOPT_PROXYHEADER, proxyList)
            hasProxyFields = proxyList != nil
        }
    }

    /// `Expect` is sent in the line of `Accept`, so that libcurl does not parse it: after a 417 it would discard the
    /// response's body and send again (RFC 9110 §15.5.18). The upload's queue waits instead of libcurl.
    private func setExpectation(_ requested: Fields) {
        var saysAccept = false
        requested.forEachField { name, value in
            guard KnownField(name) == .accept, !FieldList.isBlank(value) else { return }
            saysAccept = true
            fields.append(name, value)
        }
        if !saysAccept {
            // `*/*` means the same as a missing field (RFC 9110 §12.5.1).
            StaticString("Accept").withRawBytes { name in StaticString("*/*").withRawBytes { fields.append(name, $0) } }
        }
        requested.forEachField { name, value in
            if KnownField(name) == .expect { fields.appendUnknown(name, value) }
        }
    }
}

extension StaticString {
    fileprivate func withRawBytes(_ body: (UnsafeRawBufferPointer) -> Void) {
        body(UnsafeRawBufferPointer(start: utf8Start, count: utf8CodeUnitCount))
    }
}
