import PlugboardAuthenticationOptions
import PlugboardKit

/// How a request authenticates, and the source of its secret; a pure value.
///
/// Requests whose credentials are equal share one secret and its refresh.
struct Credential: Hashable, Sendable {
    enum Scheme: Hashable, Sendable {
        case basic(user: String)
        case bearer

        /// The name in challenges (RFC 9110 §11.1).
        var name: String {
            switch self {
            case .basic: "Basic"
            case .bearer: "Bearer"
            }
        }
    }

    enum Source: Hashable, Sendable {
        case text(SecretText)
        /// A program and its arguments, and how long the printed secret is valid.
        case command([String], lifetime: Duration?)
        /// The name of a closure of the program, and how long its token is valid if the closure does not say.
        case provider(String, lifetime: Duration?)
        case endpoint(TokenEndpoint)
    }

    var scheme: Scheme
    var source: Source

    /// The secret, if the attributes contain it.
    var given: String? {
        if case .text(.given(let secret)) = source { secret } else { nil }
    }

    /// Whether the secret comes from a server, so that it depends on the route to that server.
    var isOfServer: Bool { if case .endpoint = source { true } else { false } }

    /// The value of `Authorization` for a secret: RFC 7617 §2, RFC 6750 §2.1.
    ///
    /// Throws `authentication.credential` for a secret that a field cannot contain; the error does not contain the
    /// secret.
    func fieldValue(for secret: String) throws(PlugboardError) -> String {
        switch scheme {
        case .basic(let user):
            guard secret.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .credential("the password contains control characters")
            }
            return "Basic " + Base64.encode(Array("\(user):\(secret)".utf8))
        case .bearer:
            // Accepts more characters than RFC 6750, because some servers issue such tokens; never blanks or control
            // characters.
            guard !secret.isEmpty, secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .credential("the token is empty, or contains blanks, control characters or non-ASCII characters")
            }
            return "Bearer " + secret
        }
    }
}

extension Credential.Source {
    /// The name of the source in events and in the reply of `status`.
    var name: String {
        switch self {
        case .text(.given): "given"
        case .text(.file): "file"
        case .text(.environment): "environment"
        case .command: "command"
        case .provider: "provider"
        case .endpoint: "endpoint"
        }
    }
}

/// The source of a short secret.
enum SecretText: Hashable, Sendable {
    case given(String)
    case file(String)
    case environment(String)
}

/// A token endpoint, and the parameters of a request to it (RFC 6749 §4.4 and §6).
struct TokenEndpoint: Hashable, Sendable {
    var url: String
    var clientID: String?
    var clientSecret: SecretText?
    var clientAuthentication = ClientAuthentication.header
    var refreshToken: SecretText?
    var scope: String?
    var parameters: [String: String] = [:]
    /// How long a token is valid if the endpoint's response does not say.
    var lifetime: Duration?
}

extension PlugboardError {
    /// The error for a credential that cannot be used; `what` completes its sentence.
    static func credential(_ what: String) -> PlugboardError {
        PlugboardError(.authenticationCredential, "Requests cannot be authenticated: \(what).")
    }
}
