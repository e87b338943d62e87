import PlugboardKit
import PlugboardRedisOptions

/// A server, as the settings name it: where it is, and who asks.
struct RedisServer: Sendable {
    enum Place: Sendable, Equatable {
        case host(String, port: String)
        case socket(String)
    }

    let place: Place
    let database: Int
    private let user: String
    private let ownPassword: String?
    private let passwordPath: String?

    /// The URL without user and password.
    var shown: String {
        switch place {
        case .host(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)/\(database)"
        case .socket(let path): "unix://\(Printable.text(path))?db=\(database)"
        }
    }

    /// Reads the password's file and environment variable once: if one is missing, the kernel does not start.
    ///
    /// No error holds the URL, because its password may stand at any place of a wrong one.
    init(_ settings: RedisSettings, _ host: PluginHost) throws(PlugboardError) {
        guard let url = URLParts(settings.url), let scheme = url.scheme?.lowercased(), url.fragment == nil else {
            throw .url("is no URL such as redis://host:6379/0 or unix:///run/redis.sock")
        }
        let credentials = (url.userinfo ?? "").dropLast().split(
            separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        let texts = credentials.map { RedisServer.decoded($0) }
        guard !texts.contains(nil) else { throw .url("has a user or password with a % that two digits do not follow") }
        user = texts.first.flatMap { $0 == "" ? nil : $0 } ?? "default"
        let database: Substring?
        switch scheme {
        case "redis":
            var name = url.host ?? ""
            if name.hasPrefix("[") { name = name.dropFirst().dropLast() }
            let port = url.port.flatMap { $0.isEmpty ? nil : $0 } ?? "6379"
            guard !name.isEmpty, (1...65535).contains(Int(port) ?? 0), url.query == nil else {
                throw .url("names no host, no port from 1 to 65535, or has a query; write redis://host:6379/0")
            }
            place = .host(String(name), port: String(port))
            database = url.path.isEmpty ? nil : url.path.dropFirst()
        case "unix":
            let path = RedisServer.decoded(url.path) ?? ""
            // The longest path that struct sockaddr_un holds, with a zero behind it.
            guard (2...107).contains(path.utf8.count), url.hostAndPort == "" else {
                throw .url("has no absolute path of up to 107 bytes; write unix:///run/redis.sock")
            }
            place = .socket(path)
            guard url.query == nil || url.query?.hasPrefix("db=") == true else {
                throw .url("has a query other than db, as in unix:///run/redis.sock?db=0")
            }
            database = url.query?.dropFirst(3)
        case "rediss":
            throw .url(
                "asks for TLS, which needs hiredis 1.0 or newer with hiredis_ssl, and this build is made with "
                    + "\(RedisConnection.libraryVersion) without it; use unix://, or redis:// through a tunnel")
        default: throw .url("has another scheme than redis and unix")
        }
        self.database = database.map { $0.isEmpty ? 0 : Int($0) ?? -1 } ?? 0
        guard self.database >= 0 else { throw .url("has a database that is no number from 0 on") }

        passwordPath = settings.passwordFile.map { host.configuredPath($0) }
        var given = [texts.count > 1 ? texts[1] : nil].compactMap { $0 }
        if let name = settings.passwordEnvironment {
            guard let value = Environment.value(of: name) else {
                throw PlugboardError(
                    .configuration,
                    "The environment variable \(Printable.text(name)), which passwordEnvironment names, is not set.")
            }
            given.append(value)
        }
        guard given.count + (passwordPath == nil ? 0 : 1) <= 1 else {
            throw PlugboardError(
                .configuration, "The password is given twice; keep one of url, passwordFile and passwordEnvironment.")
        }
        ownPassword = given.first
        _ = try login()
    }

    /// The words of HELLO that say who asks; none without a password. Reads the password's file: blocks.
    func login() throws(PlugboardError) -> [String] {
        guard let passwordPath else { return ownPassword.map { ["AUTH", user, $0] } ?? [] }
        let bytes = try WholeFile.bytes(of: passwordPath, limit: .kibibytes(64), code: .configuration)
        var text = String(decoding: bytes, as: UTF8.self)
        while text.last?.isNewline == true { text.removeLast() }
        return ["AUTH", user, text]
    }

    /// The text without its percent escapes; nil if one is not whole, or if the text is not UTF-8 then.
    private static func decoded(_ text: Substring) -> String? {
        var (bytes, rest): ([UInt8], Substring.UTF8View) = ([], text.utf8)
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            guard digits.allSatisfy(\.isHexDigit), digits.count == 2, let value = UInt8(digits, radix: 16) else {
                return nil
            }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}

extension PlugboardError {
    fileprivate static func url(_ problem: String) -> PlugboardError {
        PlugboardError(.configuration, "The setting url of redis \(problem).")
    }
}
