import CPlugboardCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// What a TLS library has decrypted and libcurl has not read.
///
/// libcurl reads no more than the rest of a body whose length is known. Bytes behind it in the same TLS record stay in
/// the TLS library, where the socket does not show them, and would be read as the next response.
enum TLSRest {
    private typealias CountOpenSSL = @convention(c) (UnsafeMutableRawPointer) -> Int32
    private typealias CountGnuTLS = @convention(c) (UnsafeMutableRawPointer) -> Int

    // Looked up, because libcurl chooses the TLS library.
    private static let countOpenSSL = function("SSL_pending").map { unsafeBitCast($0, to: CountOpenSSL.self) }
    private static let countGnuTLS = function("gnutls_record_check_pending").map {
        unsafeBitCast($0, to: CountGnuTLS.self)
    }

    /// Whether the connection of a transfer has such bytes. False without TLS, and for libraries that cannot be asked.
    static func exists(in easy: UnsafeMutableRawPointer) -> Bool {
        var backend: Int32 = 0
        guard let session = ccurl_tls_session(easy, &backend) else { return false }
        switch backend {
        case Int32(CURLSSLBACKEND_OPENSSL.rawValue): return (countOpenSSL?(session) ?? 0) > 0
        case Int32(CURLSSLBACKEND_GNUTLS.rawValue): return (countGnuTLS?(session) ?? 0) > 0
        default: return false
        }
    }

    private static func function(_ name: String) -> UnsafeMutableRawPointer? { dlsym(nil, name) }
}
