import CPlugboardCurl
import PlugboardSystem
import Synchronization

/// Calls libcurl's TLS library directly, for what libcurl has no option for.
///
/// Its functions are looked up in the process, because libcurl chooses the library.
enum TLSLibrary {
    private typealias Pointer = UnsafeMutableRawPointer

    // MARK: - Bytes that libcurl has not read

    private static let countOpenSSL = function("SSL_pending", (@convention(c) (Pointer) -> Int32).self)
    private static let countGnuTLS = function("gnutls_record_check_pending", (@convention(c) (Pointer) -> Int).self)

    /// Whether the TLS library has decrypted bytes of a transfer's connection that libcurl has not read. False without
    /// TLS, and for libraries other than OpenSSL and GnuTLS.
    ///
    /// libcurl reads no more than the rest of a body whose length is known. Bytes after it in the same TLS record stay
    /// in the TLS library, where the socket does not show them, and would be read as the next response.
    static func hasRest(_ easy: UnsafeMutableRawPointer) -> Bool {
        var backend: Int32 = 0
        guard let session = ccurl_tls_session(easy, &backend) else { return false }
        switch backend {
        case Int32(CURLSSLBACKEND_OPENSSL.rawValue): return (countOpenSSL?(session) ?? 0) > 0
        case Int32(CURLSSLBACKEND_GNUTLS.rawValue): return (countGnuTLS?(session) ?? 0) > 0
        default: return false
        }
    }

    // MARK: - What was agreed on

    private static let agreedProtocol = function(
        "SSL_get0_alpn_selected",
        (@convention(c) (Pointer, UnsafeMutablePointer<UnsafePointer<UInt8>?>, UnsafeMutablePointer<UInt32>) -> Void)
            .self)

    /// Whether the TLS handshake of a transfer's connection has agreed on HTTP/2 (RFC 9113 §3.2). Nil without TLS, and
    /// for libraries other than OpenSSL.
    static func hasAgreedOnHTTP2(_ easy: UnsafeMutableRawPointer) -> Bool? {
        var backend: Int32 = 0
        guard let agreedProtocol, let session = ccurl_tls_session(easy, &backend),
            backend == Int32(CURLSSLBACKEND_OPENSSL.rawValue)
        else { return nil }
        var (name, count): (UnsafePointer<UInt8>?, UInt32) = (nil, 0)
        agreedProtocol(session, &name, &count)
        return count == 2 && name?[0] == UInt8(ascii: "h") && name?[1] == UInt8(ascii: "2")
    }

    // MARK: - How a connection ends

    /// The sessions whose end is awaited, and whether close_notify was received.
    private static let ends = Mutex<[UInt: Bool]>([:])

    /// Notes whether the server ends the TLS session of a transfer with close_notify (RFC 9112 §9.8), from now on and
    /// until `takeEnd`. Nil without TLS, and for libraries other than OpenSSL.
    static func awaitEnd(_ easy: UnsafeMutableRawPointer) -> UInt? {
        var backend: Int32 = 0
        guard isStrict, let openSSL, let session = ccurl_tls_session(easy, &backend),
            backend == Int32(CURLSSLBACKEND_OPENSSL.rawValue)
        else { return nil }
        let (number, hasEnded) = (UInt(bitPattern: session), openSSL.shutdown(session) & OpenSSL.receivedShutdown != 0)
        ends.withLock { $0[number] = hasEnded }
        openSSL.setInfo(session) { session, place, code in
            // The low byte is the alert's number; that of close_notify is 0.
            guard place == OpenSSL.readAlert, code & 0xFF == 0 else { return }
            let number = UInt(bitPattern: session)
            TLSLibrary.ends.withLock { if $0[number] != nil { $0[number] = true } }
        }
        return number
    }

    /// Whether the session has ended with close_notify.
    static func takeEnd(_ session: UInt) -> Bool {
        ends.withLock { $0.removeValue(forKey: session) } ?? false
    }

    // MARK: - How a connection begins

    /// Whether libcurl uses OpenSSL, and OpenSSL's functions are available in the process.
    static let isStrict =
        ccurl_version().map { String(cString: $0.pointee.ssl_version).hasPrefix("OpenSSL/") } == true && openSSL != nil

    /// libcurl's message for a certificate that names no host in subjectAltName.
    static let namelessMessage = "application verification failure"

    private static let openSSL = OpenSSL()

    /// Makes OpenSSL refuse certificates that name their host in the common name only (RFC 9525 §6.3), and report the
    /// end of a connection without close_notify as a normal end, as 7.88.1 does: `takeEnd` tells the two apart.
    ///
    /// - Parameter folder: A folder with more trusted certificates; nil for none.
    static func prepare(_ easy: UnsafeMutableRawPointer, folder: UnsafePointer<CChar>?) {
        guard isStrict else { return }
        let adjust: ccurl_tls_context = { _, context, folder in
            guard let context, let openSSL = TLSLibrary.openSSL else { return CURLE_OK }
            if let folder, openSSL.trust(context, nil, folder) != 1 { return CURLE_SSL_CACERT_BADFILE }
            _ = openSSL.setOptions(context, OpenSSL.ignoreUnexpectedEnd)
            let mode = openSSL.verifyMode(context)
            if mode != OpenSSL.verifyNone {
                openSSL.setVerify(context, mode) { isValid, store in TLSLibrary.verify(isValid, store) }
            }
            return CURLE_OK
        }
        ccurl_set_tls_context(easy, adjust, folder)
    }

    /// Called for each certificate of a chain; the server's certificate comes last.
    private static func verify(_ isValid: Int32, _ store: UnsafeMutableRawPointer?) -> Int32 {
        guard isValid == 1, let store, let openSSL, openSSL.depth(store) == 0,
            let certificate = openSSL.certificate(store)
        else { return isValid }
        if openSSL.namesHost(certificate) { return 1 }
        openSSL.setError(store, OpenSSL.applicationError)
        return 0
    }

    /// Functions of OpenSSL 1.1 and 3.
    private struct OpenSSL: Sendable {
        static let receivedShutdown: Int32 = 2
        static let readAlert: Int32 = 0x4004
        static let verifyNone: Int32 = 0
        /// X509_V_ERR_APPLICATION_VERIFICATION
        static let applicationError: Int32 = 50
        /// SSL_OP_IGNORE_UNEXPECTED_EOF
        static let ignoreUnexpectedEnd: UInt64 = 1 << 7
        private static let subjectAltName: Int32 = 85
        private static let (dnsName, ipAddress): (Int32, Int32) = (2, 7)

        typealias Verify = @convention(c) (Int32, Pointer?) -> Int32

        typealias Trust = @convention(c) (Pointer, Pointer?, Pointer?) -> Int32

        typealias Info = @convention(c) (Pointer?, Int32, Int32) -> Void

        let shutdown: @convention(c) (Pointer) -> Int32
        let setInfo: @convention(c) (Pointer, Info) -> Void
        let setOptions: @convention(c) (Pointer, UInt64) -> UInt64
        let trust: Trust
        let verifyMode: @convention(c) (Pointer) -> Int32
        let setVerify: @convention(c) (Pointer, Int32, Verify) -> Void
        let depth: @convention(c) (Pointer) -> Int32
        let certificate: @convention(c) (Pointer) -> Pointer?
        let setError: @convention(c) (Pointer, Int32) -> Void
        private let extensionValue:
            @convention(c) (Pointer, Int32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?) -> Pointer?
        private let count: @convention(c) (Pointer) -> Int32
        private let element: @convention(c) (Pointer, Int32) -> Pointer?
        private let value: @convention(c) (Pointer, UnsafeMutablePointer<Int32>) -> Pointer?
        private let free: @convention(c) (Pointer) -> Void

        /// Nil if the process lacks one of these functions.
        init?() {
            guard
                let shutdown = function("SSL_get_shutdown", (@convention(c) (Pointer) -> Int32).self),
                let setInfo = function("SSL_set_info_callback", (@convention(c) (Pointer, Info) -> Void).self),
                let setOptions = function(
                    "SSL_CTX_set_options", (@convention(c) (Pointer, UInt64) -> UInt64).self),
                let trust = function("SSL_CTX_load_verify_locations", Trust.self),
                let verifyMode = function("SSL_CTX_get_verify_mode", (@convention(c) (Pointer) -> Int32).self),
                let setVerify = function(
                    "SSL_CTX_set_verify", (@convention(c) (Pointer, Int32, Verify) -> Void).self),
                let depth = function("X509_STORE_CTX_get_error_depth", (@convention(c) (Pointer) -> Int32).self),
                let certificate = function(
                    "X509_STORE_CTX_get_current_cert", (@convention(c) (Pointer) -> Pointer?).self),
                let setError = function("X509_STORE_CTX_set_error", (@convention(c) (Pointer, Int32) -> Void).self),
                let extensionValue = function(
                    "X509_get_ext_d2i",
                    (@convention(c) (
                        Pointer, Int32, UnsafeMutablePointer<Int32>?, UnsafeMutablePointer<Int32>?
                    ) -> Pointer?).self),
                let count = function("OPENSSL_sk_num", (@convention(c) (Pointer) -> Int32).self),
                let element = function("OPENSSL_sk_value", (@convention(c) (Pointer, Int32) -> Pointer?).self),
                let value = function(
                    "GENERAL_NAME_get0_value", (@convention(c) (Pointer, UnsafeMutablePointer<Int32>) -> Pointer?).self),
                let free = function("GENERAL_NAMES_free", (@convention(c) (Pointer) -> Void).self)
            else { return nil }
            (self.shutdown, self.setInfo) = (shutdown, setInfo)
            (self.setOptions, self.trust) = (setOptions, trust)
            (self.verifyMode, self.setVerify) = (verifyMode, setVerify)
            (self.depth, self.certificate, self.setError) = (depth, certificate, setError)
            (self.extensionValue, self.count, self.element) = (extensionValue, count, element)
            (self.value, self.free) = (value, free)
        }

        /// Whether the certificate has a host's name or address as subjectAltName; libcurl compares them.
        func namesHost(_ certificate: Pointer) -> Bool {
            guard let names = extensionValue(certificate, OpenSSL.subjectAltName, nil, nil) else { return false }
            defer { free(names) }
            return (0..<max(count(names), 0)).contains { index in
                var kind: Int32 = -1
                guard let name = element(names, index), value(name, &kind) != nil else { return false }
                return kind == OpenSSL.dnsName || kind == OpenSSL.ipAddress
            }
        }
    }

    private static func function<Function>(_ name: String, _ type: Function.Type) -> Function? {
        dlsym(nil, name).map { unsafeBitCast($0, to: type) }
    }
}
