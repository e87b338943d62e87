import PlugboardKit

/// How requests authenticate.
public enum AuthenticationScheme: String, WordOption {
    /// User and password (RFC 7617).
    case basic
    /// A token (RFC 6750).
    case bearer
    /// A token that a token endpoint gives out (RFC 6749), sent as `bearer` is.
    case oauth
}

/// How a client says to a token endpoint who it is (RFC 6749 §2.3.1).
public enum ClientAuthentication: String, WordOption {
    /// In `Authorization`.
    case header
    /// In the form.
    case body
}
