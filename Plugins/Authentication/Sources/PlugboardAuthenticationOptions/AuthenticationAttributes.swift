import PlugboardKit

/// The attributes of the plugin `authentication`, for sections of origins and for requests.
///
/// All attributes are secret, so that none of them follows a request to another origin.
public struct AuthenticationAttributes: AttributeTable {
    /// All keys.
    public static let keys = AuthenticationAttributes()

    /// How requests authenticate; without it they do not.
    public let scheme = key(AuthenticationScheme.self, "scheme", "How requests authenticate; without it they do not.")

    /// basic: The user, without colons.
    public let user = key(String.self, "user", "basic: The user, without colons.")
    /// basic: The password.
    public let password = key(String.self, "password", "basic: The password.")
    /// basic: A file with the password.
    public let passwordFile = key(String.self, "passwordFile", "basic: A file with the password.")
    /// basic: The environment variable with the password.
    public let passwordEnvironment = key(
        String.self, "passwordEnvironment", "basic: The environment variable with the password.")

    /// bearer: The token.
    public let token = key(String.self, "token", "bearer: The token.")
    /// bearer: A file with the token.
    public let tokenFile = key(String.self, "tokenFile", "bearer: A file with the token.")
    /// bearer: The environment variable with the token.
    public let tokenEnvironment = key(
        String.self, "tokenEnvironment", "bearer: The environment variable with the token.")
    /// bearer: A program that prints the token, and its arguments; run without a shell.
    public let tokenCommand = key(
        [String].self, "tokenCommand",
        "bearer: A program that prints the token, and its arguments; run without a shell.")
    /// bearer: The name of the program's closure that returns the token.
    public let tokenProvider = key(
        String.self, "tokenProvider", "bearer: The name of the program's closure that returns the token.")
    /// bearer, oauth: How long a token is valid if its command or endpoint does not say.
    public let tokenLifetime = key(
        Duration.self, "tokenLifetime",
        "bearer, oauth: How long a token is valid if its command or endpoint does not say.")

    /// oauth: The URL of the token endpoint.
    public let tokenURL = key(String.self, "tokenURL", "oauth: The URL of the token endpoint.")
    /// oauth: The client identifier.
    public let clientID = key(String.self, "clientID", "oauth: The client identifier.")
    /// oauth: The client's secret, if it has one.
    public let clientSecret = key(String.self, "clientSecret", "oauth: The client's secret, if it has one.")
    /// oauth: A file with the client's secret.
    public let clientSecretFile = key(String.self, "clientSecretFile", "oauth: A file with the client's secret.")
    /// oauth: The environment variable with the client's secret.
    public let clientSecretEnvironment = key(
        String.self, "clientSecretEnvironment", "oauth: The environment variable with the client's secret.")
    /// oauth: Where the client's secret is sent; header by default.
    public let clientAuthentication = key(
        ClientAuthentication.self, "clientAuthentication",
        "oauth: Where the client's secret is sent; header by default.")
    /// oauth: The refresh token; without one the grant is client_credentials.
    public let refreshToken = key(
        String.self, "refreshToken", "oauth: The refresh token; without one the grant is client_credentials.")
    /// oauth: A file with the refresh token; rewritten when the endpoint sends another.
    public let refreshTokenFile = key(
        String.self, "refreshTokenFile",
        "oauth: A file with the refresh token; rewritten when the endpoint sends another.")
    /// oauth: The scopes of the token, separated by blanks.
    public let scope = key(String.self, "scope", "oauth: The scopes of the token, separated by blanks.")
    /// oauth: More fields of the form, such as audience; they replace fields of the same name.
    public let parameters = key(
        [String: String].self, "parameters",
        "oauth: More fields of the form, such as audience; they replace fields of the same name.")

    private static func key<Value>(_: Value.Type, _ name: String, _ documentation: String) -> AttributeKey<Value> {
        AttributeKey("authentication", name, documentation, isSecret: true)
    }
}

extension Request {
    /// The attributes for the plugin `authentication`, which take precedence over those of the origin's section.
    public var authentication: RequestAttributes<AuthenticationAttributes> {
        get { RequestAttributes<AuthenticationAttributes>(self) }
        set { self = newValue.request }
    }
}

extension RequestAttributes<AuthenticationAttributes> {
    /// Authenticates with a user and a password (RFC 7617).
    public mutating func basic(user: String, password: String) {
        self.scheme = .basic
        self.user = user
        self.password = password
    }

    /// Authenticates with a token (RFC 6750), which is not refreshed.
    public mutating func bearer(_ token: String) {
        self.scheme = .bearer
        self.token = token
    }

    /// Authenticates with a token (RFC 6750) that a closure of the program returns: one of those that it has given the
    /// plugin by name (`.authentication(tokenProviders:)`).
    public mutating func bearer(from provider: String) {
        self.scheme = .bearer
        self.tokenProvider = provider
    }
}
