import AuthenticationOptions
import JSON
import PlugboardKit

/// What a token endpoint answered (RFC 6749 §5).
struct TokenResponse: Equatable, Sendable {
    var token: String
    /// From when it was asked for.
    var lifetime: Duration?
    /// The refresh token to use from now on, if that changed.
    var refreshToken: String?

    /// How long an answer may be.
    static let limit = ByteCount.kibibytes(64)

    /// Throws `authentication.refresh` with what the endpoint says is wrong, in its own code word and no other of its
    /// words.
    init(status: Int, body: Bytes, of endpoint: String) throws(PlugboardError) {
        var options = JSONParser.Options()
        options.depthLimit = 16
        options.sizeLimit = Self.limit.bytes
        let answer = body.withUnsafeBytes { try? JSONParser.parse($0, options: options) }?.objectValue
        guard status == 200 || status == 201 else {
            let code = answer?["error"]?.stringValue.flatMap(Self.codeWord).map { " (\($0))" } ?? ""
            throw .refresh("\(endpoint) answered \(status)\(code) when it was asked for a token")
        }
        guard let answer, let token = answer["access_token"]?.stringValue, !token.isEmpty else {
            throw .refresh("\(endpoint) answered \(status) without a JSON object that has an access_token")
        }
        // RFC 6749 §7.1: a token of a type that is not understood must not be used.
        if let type = answer["token_type"]?.stringValue, type.lowercased() != "bearer" {
            throw .refresh("\(endpoint) gave a token that is no bearer token")
        }
        self.token = token
        lifetime = answer["expires_in"].flatMap(Self.seconds)
        refreshToken = answer["refresh_token"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A number of seconds, also where a server writes it as text; ten years at most.
    private static func seconds(_ value: JSONValue) -> Duration? {
        guard let number = value.numberValue ?? value.stringValue.flatMap({ JSONNumber(text: $0) }),
            case let seconds = number.double, !seconds.isNaN
        else { return nil }
        return .seconds(min(max(seconds, 0), 10 * 365 * 86_400))
    }

    /// RFC 6749 §5.2: the codes are words; what is none may be anything, and is not repeated.
    private static func codeWord(_ text: String) -> String? {
        let isWord =
            (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || (0x30...0x39).contains($0) || "_-.".utf8.contains($0)
            }
        return isWord ? text : nil
    }
}

extension PlugboardError {
    /// A sentence about a secret that could not be had, from why.
    static func refresh(_ what: String) -> PlugboardError {
        PlugboardError(.authenticationRefresh, "The request cannot be authenticated: \(what).")
    }
}
