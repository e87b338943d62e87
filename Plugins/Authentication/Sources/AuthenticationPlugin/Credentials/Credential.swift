import AuthenticationOptions
import PlugboardKit

/// How a request authenticates, and where its secret comes from; a pure value.
///
/// Requests whose credentials are equal share one secret and its refresh.
struct Credential: Hashable, Sendable {
    enum Scheme: Hashable, Sendable {
        case basic(user: String)
        case bearer

        /// As challenges name it (RFC 9110 §11.1).
        var name: String {
            switch self {
            case .basic: "Basic"
            case .bearer: "Bearer"
            }
        }
    }

    enum Source: Hashable, Sendable {
        case text(SecretText)
        /// A program and its arguments, and how long what it prints is good.
        case command([String], lifetime: Duration?)
        case endpoint(TokenEndpoint)
    }

    var scheme: Scheme
    var source: Source

    /// The secret, where it is known without asking anybody.
    var given: String? {
        if case .text(.given(let secret)) = source { secret } else { nil }
    }

    /// What stands in `Authorization` for a secret: RFC 7617 §2, RFC 6750 §2.1.
    ///
    /// Throws `authentication.credential` for a secret that no field can hold; never says which it is.
    func fieldValue(for secret: String) throws(PlugboardError) -> String {
        switch scheme {
        case .basic(let user):
            guard secret.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
                throw .credential("the password holds control characters")
            }
            return "Basic " + Base64.encode(Array("\(user):\(secret)".utf8))
        case .bearer:
            // Wider than RFC 6750's letters, for servers that gave out such tokens; never wider than one word.
            guard !secret.isEmpty, secret.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
                throw .credential("the token is empty, or holds blanks, control characters or more than ASCII")
            }
            return "Bearer " + secret
        }
    }
}

/// A short text that is not to be known, and where it stands.
enum SecretText: Hashable, Sendable {
    case given(String)
    case file(String)
    case environment(String)
}

/// A token endpoint, and what to ask of it (RFC 6749 §4.4 and §6).
struct TokenEndpoint: Hashable, Sendable {
    var url: String
    var clientID: String?
    var clientSecret: SecretText?
    var clientAuthentication = ClientAuthentication.header
    var refreshToken: SecretText?
    var scope: String?
    var parameters: [String: String] = [:]
    /// How long a token is good whose answer does not say.
    var lifetime: Duration?
}

extension PlugboardError {
    /// A sentence about a credential, from what is wrong with it.
    static func credential(_ what: String) -> PlugboardError {
        PlugboardError(.authenticationCredential, "Requests cannot be authenticated: \(what).")
    }
}
