import CPlugboardNettle
import PlugboardAuthenticationOptions
import PlugboardKit

/// The key of a fleet: what its processes encrypt tokens with in the store, and find them by.
///
/// Values are encrypted with ChaCha20-Poly1305 (RFC 8439), bound to their names in the store. These names
/// are an HMAC: without the fleet's key, a reader of the store cannot test guesses of a client's secret.
struct FleetKey: Sendable {
    private let encrypting: [UInt8]
    private let naming: [UInt8]

    static let nonceSize = 12
    private static let (tagSize, shortest) = (16, 32)

    /// Nil without a setting. Blocks. No error contains the key.
    init?(_ settings: AuthenticationSettings, _ host: PluginHost) throws(PlugboardError) {
        var bytes: [UInt8]
        if let path = settings.fleetKeyFile {
            bytes = try WholeFile.bytes(
                of: host.configuredPath(path), limit: .kibibytes(64), code: .configuration)
        } else if let name = settings.fleetKeyEnvironment {
            bytes = Array((Environment.value(of: name) ?? "").utf8)
        } else {
            return nil
        }
        while let last = bytes.last, last == 0x0A || last == 0x0D { bytes.removeLast() }
        guard bytes.count >= Self.shortest else {
            throw PlugboardError(
                .configuration,
                "The key that fleetKeyFile or fleetKeyEnvironment names has \(bytes.count) bytes, and needs at least "
                    + "\(Self.shortest) random ones: make it with openssl rand -base64 32.")
        }
        self.init(bytes)
    }

    init(_ secret: [UInt8]) {
        encrypting = Self.code(of: Array("encrypt".utf8), by: secret)
        naming = Self.code(of: Array("name".utf8), by: secret)
    }

    /// A name that stands for texts, in hexadecimal digits.
    func name(_ texts: [String]) -> String {
        // Quoted, so that no two lists have the same description.
        Self.code(of: Array("\(texts)".utf8), by: naming)
            .map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    /// Encrypts a value that only `open` with the same store key decrypts.
    func seal(_ value: [UInt8], for key: String, nonce: [UInt8]) -> Bytes {
        var context = context(nonce, key)
        var sealed = [UInt8](repeating: 0, count: value.count)
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        nettle_chacha_poly1305_encrypt(&context, value.count, &sealed, value)
        nettle_chacha_poly1305_digest(&context, tag.count, &tag)
        return Bytes(nonce + sealed + tag)
    }

    /// Nil for a value that was encrypted with another key or for another store key, and for a damaged one.
    func open(_ bytes: Bytes, for key: String) -> [UInt8]? {
        let bytes = bytes.array
        let end = bytes.count - Self.tagSize
        guard end >= Self.nonceSize else { return nil }
        let sealed = Array(bytes[Self.nonceSize..<end])
        var context = context(Array(bytes.prefix(Self.nonceSize)), key)
        var value = [UInt8](repeating: 0, count: sealed.count)
        var tag = [UInt8](repeating: 0, count: Self.tagSize)
        nettle_chacha_poly1305_decrypt(&context, sealed.count, &value, sealed)
        nettle_chacha_poly1305_digest(&context, tag.count, &tag)
        return nettle_memeql_sec(tag, Array(bytes[end...]), tag.count) != 0 ? value : nil
    }

    private func context(_ nonce: [UInt8], _ key: String) -> chacha_poly1305_ctx {
        var context = chacha_poly1305_ctx()
        nettle_chacha_poly1305_set_key(&context, encrypting)
        nettle_chacha_poly1305_set_nonce(&context, nonce)
        let bound = Array(key.utf8)
        nettle_chacha_poly1305_update(&context, bound.count, bound)
        return context
    }

    private static func code(of text: [UInt8], by key: [UInt8]) -> [UInt8] {
        var context = hmac_sha256_ctx()
        var code = [UInt8](repeating: 0, count: Int(SHA256_DIGEST_SIZE))
        nettle_hmac_sha256_set_key(&context, key.count, key)
        nettle_hmac_sha256_update(&context, text.count, text)
        nettle_hmac_sha256_digest(&context, code.count, &code)
        return code
    }
}
