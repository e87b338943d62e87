import PlugboardKit

/// How requests authenticate.
public enum AuthenticationScheme: String, WordOption {
    /// User and password (RFC 7617).
    case basic
    /// A token (RFC 6750).
    case bearer
    /// A token from a token endpoint (RFC 6749), sent as `bearer` sends it.
    case oauth
}

/// How a client authenticates to a token endpoint (RFC 6749 §2.3.1).
public enum ClientAuthentication: String, WordOption {
    /// It sends its credentials in the field `Authorization`.
    case header
    /// It sends its credentials in the form that is the request's body.
    case body
}
