import CPlugboardCurl
import PlugboardTransport

/// Sets the options of a handle that do not change from one transfer to the next.
struct EasyOptions {
    /// CURL_MAX_READ_SIZE, a macro that Swift does not import.
    private static let largestBuffer = 512 << 10
    /// The receive buffer of downloads whose speed is limited.
    private static let evenBuffer = 16 << 10

    let easy: UnsafeMutableRawPointer
    let settings: CurlTransportSettings
    /// Whether the environment has variables for proxies.
    let usesEnvironment: Bool

    func apply(_ options: RequestOptions) throws(PlugboardError) {
        setManners()
        try setTLS(options)
        try setRoute(options)
        if let timeout = options.connectTimeout {
            long(CURLOPT_CONNECTTIMEOUT_MS, Int(min(max(timeout.nanoseconds / 1_000_000, 1), Int64(Int32.max))))
        }
        long(CURLOPT_HTTP_TRANSFER_DECODING, options.keepsChunks == true ? 0 : 1)
        // libcurl limits the speed between reads only, so that large reads come in bursts.
        let speed = options.speed
        let isLimited = speed.download.map { $0.bytes > 0 && $0 != .unlimited } ?? false
        let buffer = isLimited ? EasyOptions.evenBuffer : settings.receiveBuffer.bytes
        long(CURLOPT_BUFFERSIZE, min(max(buffer, 1024), EasyOptions.largestBuffer))
        ccurl_set_offset(easy, CURLOPT_MAX_RECV_SPEED_LARGE, Int64(speed.download?.bytes ?? 0))
        ccurl_set_offset(easy, CURLOPT_MAX_SEND_SPEED_LARGE, Int64(speed.upload?.bytes ?? 0))
    }

    /// Switches off everything that is not a transport's task.
    private func setManners() {
        long(CURLOPT_NOSIGNAL, 1)
        // A name look-up that hangs is left to its thread; waiting for that thread would stop the loop.
        long(CURLOPT_QUICK_EXIT, 1)
        long(CURLOPT_NOPROGRESS, 1)
        long(CURLOPT_FOLLOWLOCATION, 0)
        long(CURLOPT_HTTP09_ALLOWED, 0)
        long(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        long(CURLOPT_PATH_AS_IS, 1)
        long(CURLOPT_HEADEROPT, Int(CURLHEADER_SEPARATE))
        long(CURLOPT_NETRC, Int(CURL_NETRC_IGNORED.rawValue))
        ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https")
    }

    /// - Parameter isApart: Whether connections are shared only with attempts that have this set, too. libcurl compares
    ///   the allowed versions of TLS for that; a maximum of 1.3 changes nothing else, because there is no later
    ///   version.
    static func setTLSVersions(_ easy: UnsafeMutableRawPointer, _ minimum: RequestOptions.TLSVersion?, isApart: Bool) {
        let newest = isApart ? Int(CURL_SSLVERSION_MAX_TLSv1_3) : 0
        ccurl_set_long(easy, CURLOPT_SSLVERSION, EasyOptions.minimum(minimum) | newest)
    }

    private static func minimum(_ version: RequestOptions.TLSVersion?) -> Int {
        Int(version == .tls13 ? CURL_SSLVERSION_TLSv1_3 : CURL_SSLVERSION_TLSv1_2)
    }

    /// Sets whether the proxy is bypassed. libcurl then reads no list itself, neither an option nor the environment's.
    static func setBypass(_ easy: UnsafeMutableRawPointer, _ isWanted: Bool) {
        ccurl_set_text(easy, CURLOPT_NOPROXY, isWanted ? "*" : "")
    }

    private func setTLS(_ options: RequestOptions) throws(PlugboardError) {
        let verifies = options.tls.verify ?? true
        for option in [CURLOPT_SSL_VERIFYPEER, CURLOPT_PROXY_SSL_VERIFYPEER] { long(option, verifies ? 1 : 0) }
        for option in [CURLOPT_SSL_VERIFYHOST, CURLOPT_PROXY_SSL_VERIFYHOST] { long(option, verifies ? 2 : 0) }
        let trust = verifies && options.tls.ca == nil ? SystemTrust.current : nil
        TLSLibrary.prepare(easy, folder: trust?.folder)
        EasyOptions.setTLSVersions(easy, options.tls.minimum, isApart: false)
        long(CURLOPT_PROXY_SSLVERSION, EasyOptions.minimum(options.tls.minimum))
        long(CURLOPT_CA_CACHE_TIMEOUT, SystemTrust.patience)
        if let trust {
            for option in [CURLOPT_CAINFO, CURLOPT_PROXY_CAINFO] { ccurl_set_text(easy, option, trust.file) }
            for option in [CURLOPT_CAPATH, CURLOPT_PROXY_CAPATH] { ccurl_set_text(easy, option, nil) }
        }
        if let file = options.tls.ca {
            try text(CURLOPT_CAINFO, file, "tls.ca")
            try text(CURLOPT_PROXY_CAINFO, file, "tls.ca")
            // Otherwise libcurl would also trust the certificates of the system's folder.
            ccurl_set_text(easy, CURLOPT_CAPATH, nil)
            ccurl_set_text(easy, CURLOPT_PROXY_CAPATH, nil)
        }
        if let pins = options.tls.pins {
            try text(CURLOPT_PINNEDPUBLICKEY, pins.joined(separator: ";"), "tls.pins")
        }
        if let certificate = options.tls.certificate { try text(CURLOPT_SSLCERT, certificate, "tls.certificate") }
        if let key = options.tls.key ?? options.tls.certificate { try text(CURLOPT_SSLKEY, key, "tls.key") }
        if let password = options.tls.keyPassword { try text(CURLOPT_KEYPASSWD, password, "tls.keyPassword") }
    }

    private func setRoute(_ options: RequestOptions) throws(PlugboardError) {
        if let proxy = options.proxy {
            try text(CURLOPT_PROXY, proxy, "proxy")
        } else if !usesEnvironment {
            // Otherwise libcurl looks for proxies in the environment at each request.
            ccurl_set_text(easy, CURLOPT_PROXY, "")
        }
        if let user = options.proxyUser {
            // Those of the proxy's URL come first.
            try text(CURLOPT_PROXYUSERNAME, user.name, "proxyUser")
            try text(CURLOPT_PROXYPASSWORD, user.password, "proxyUser")
        }
        EasyOptions.setBypass(easy, false)
        if let interface = options.interface { try text(CURLOPT_INTERFACE, interface, "interface") }
        if let socket = options.unixSocket { try text(CURLOPT_UNIX_SOCKET_PATH, socket, "unixSocket") }
        if let target = options.target { try text(CURLOPT_REQUEST_TARGET, target, "target") }
        switch options.ipVersion ?? .any {
        case .any: break
        case .v4: long(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V4))
        case .v6: long(CURLOPT_IPRESOLVE, Int(CURL_IPRESOLVE_V6))
        }
    }

    private func long(_ option: CURLoption, _ value: Int) { ccurl_set_long(easy, option, value) }

    private func long<Number: RawRepresentable<UInt32>>(_ option: CURLoption, _ value: Number) {
        ccurl_set_long(easy, option, Int(value.rawValue))
    }

    private func text(_ option: CURLoption, _ value: String, _ name: String) throws(PlugboardError) {
        if value.utf8.contains(0) || ccurl_set_text(easy, option, value) != CURLE_OK { throw invalid(name) }
    }

    private func invalid(_ name: String) -> PlugboardError {
        PlugboardError(.requestOption, "The request's option \(name) has an invalid value.")
    }
}
