import PlugboardAuthenticationOptions
import PlugboardJSON
import PlugboardKit

/// The response of a token endpoint (RFC 6749 §5).
struct TokenResponse: Equatable, Sendable {
    var token: String
    /// How long the token is valid from when it was requested.
    var lifetime: Duration?
    /// The refresh token to use from now on, if it changed.
    var refreshToken: String?

    /// The most bytes that a response may have.
    static let limit = ByteCount.kibibytes(64)

    /// Throws `authentication.refresh`, whose reason contains only the error code of the endpoint's text.
    init(status: Int, body: Bytes, of endpoint: String) throws(PlugboardError) {
        var options = JSONParser.Options()
        options.depthLimit = 16
        options.sizeLimit = Self.limit.bytes
        let object = body.withUnsafeBytes { try? JSONParser.parse($0, options: options) }?.objectValue
        guard status == 200 || status == 201 else {
            let code = object?["error"]?.stringValue.flatMap(Self.codeWord).map { " (\($0))" } ?? ""
            throw .refresh("\(endpoint) responded \(status)\(code) to the request for a token")
        }
        guard let object, let token = object["access_token"]?.stringValue, !token.isEmpty else {
            throw .refresh("\(endpoint) responded \(status) without a JSON object that has an access_token")
        }
        // RFC 6749 §7.1: a token of an unknown type must not be used.
        if let type = object["token_type"]?.stringValue, type.lowercased() != "bearer" {
            throw .refresh("\(endpoint) sent a token that is not a bearer token")
        }
        self.token = token
        lifetime = object["expires_in"].flatMap(Self.seconds)
        refreshToken = object["refresh_token"]?.stringValue.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// A number of seconds, also if the server writes it as text; at most ten years.
    private static func seconds(_ value: JSONValue) -> Duration? {
        guard let number = value.numberValue ?? value.stringValue.flatMap({ JSONNumber(text: $0) }),
            case let seconds = number.double, !seconds.isNaN
        else { return nil }
        return .seconds(min(max(seconds, 0), 10 * 365 * 86_400))
    }

    /// An error code (RFC 6749 §5.2); nil for other text, which could contain anything and must not be printed.
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
    /// The error for a secret that could not be fetched; `what` completes its sentence.
    static func refresh(_ what: String) -> PlugboardError {
        PlugboardError(.authenticationRefresh, "The request cannot be authenticated: \(what).")
    }
}
