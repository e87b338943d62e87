/// The credential of a program for a security scheme of an OpenAPI document.
public enum DefinedCredential: Sendable, Equatable {
    /// A user and a password (RFC 7617), sent by the plugin authentication.
    case basic(user: String, password: String)
    /// A token (RFC 6750), sent by the plugin authentication.
    case bearer(String)
    /// A key, sent in the header field, parameter or cookie that the document names.
    case key(String)
}

extension DefinedCredential: CustomStringConvertible, CustomReflectable {
    /// The kind only, because the credential is secret.
    public var description: String {
        switch self {
        case .basic: "basic"
        case .bearer: "bearer"
        case .key: "key"
        }
    }

    /// Shows nothing, because the credential is secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecurityScheme {
    /// Whether a credential is of the kind that the scheme needs.
    func takes(_ credential: DefinedCredential) -> Bool {
        switch (kind, credential) {
        case (.basic, .basic), (.bearer, .bearer), (.key, .key): true
        default: false
        }
    }
}
