import PlugboardKit

/// What the sections of origins, and requests, can say to the plugin `authentication`.
///
/// All are secret, so that none of them follows a request to another origin.
public enum AuthenticationAttributes {
    public static let scheme = key(
        AuthenticationScheme.self, "scheme", "How requests authenticate; without it they do not.")

    public static let user = key(String.self, "user", "basic: The user, without colons.")
    public static let password = key(String.self, "password", "basic: The password.")
    public static let passwordFile = key(String.self, "passwordFile", "basic: A file with the password.")
    public static let passwordEnvironment = key(
        String.self, "passwordEnvironment", "basic: The environment variable with the password.")

    public static let token = key(String.self, "token", "bearer: The token.")
    public static let tokenFile = key(String.self, "tokenFile", "bearer: A file with the token.")
    public static let tokenEnvironment = key(
        String.self, "tokenEnvironment", "bearer: The environment variable with the token.")
    public static let tokenCommand = key(
        [String].self, "tokenCommand",
        "bearer: A program that prints the token, and its arguments; no shell reads them.")
    public static let tokenLifetime = key(
        Duration.self, "tokenLifetime",
        "bearer, oauth: How long a token is good that a command or an endpoint gave without saying so.")

    public static let tokenURL = key(String.self, "tokenURL", "oauth: The token endpoint.")
    public static let clientID = key(String.self, "clientID", "oauth: The client's name at the endpoint.")
    public static let clientSecret = key(String.self, "clientSecret", "oauth: The client's secret, if it has one.")
    public static let clientSecretFile = key(
        String.self, "clientSecretFile", "oauth: A file with the client's secret.")
    public static let clientSecretEnvironment = key(
        String.self, "clientSecretEnvironment", "oauth: The environment variable with the client's secret.")
    public static let clientAuthentication = key(
        ClientAuthentication.self, "clientAuthentication",
        "oauth: Where the client's secret stands; without it, header.")
    public static let refreshToken = key(
        String.self, "refreshToken", "oauth: The refresh token; without one the client asks for itself.")
    public static let refreshTokenFile = key(
        String.self, "refreshTokenFile",
        "oauth: A file with the refresh token, written when the endpoint gives another.")
    public static let scope = key(String.self, "scope", "oauth: What the token is to be good for, with blanks between.")
    public static let parameters = key(
        [String: String].self, "parameters",
        "oauth: More for the form, such as audience; replaces what has the same name.")

    /// All of them, in the order in which they are documented.
    public static let definitions = [
        scheme.definition, user.definition, password.definition, passwordFile.definition,
        passwordEnvironment.definition, token.definition, tokenFile.definition, tokenEnvironment.definition,
        tokenCommand.definition, tokenLifetime.definition, tokenURL.definition, clientID.definition,
        clientSecret.definition, clientSecretFile.definition, clientSecretEnvironment.definition,
        clientAuthentication.definition, refreshToken.definition, refreshTokenFile.definition, scope.definition,
        parameters.definition,
    ]

    private static func key<Value>(_: Value.Type, _ name: String, _ documentation: String) -> AttributeKey<Value> {
        AttributeKey("authentication", name, documentation, isSecret: true)
    }
}

extension Request {
    /// What the request says to the plugin `authentication`, over what its origin's section says.
    public var authentication: AuthenticationRequest {
        get { AuthenticationRequest(request: self) }
        set { self = newValue.request }
    }
}

/// A request as the plugin `authentication` sees it: `request.authentication.bearer(token)`.
///
/// What is set here holds for the origin of the request's URL, and is dropped when a redirect leaves it.
public struct AuthenticationRequest: Sendable {
    fileprivate var request: Request

    /// Authenticates with user and password (RFC 7617).
    public mutating func basic(user: String, password: String) {
        request[AuthenticationAttributes.scheme] = .basic
        request[AuthenticationAttributes.user] = user
        request[AuthenticationAttributes.password] = password
    }

    /// Authenticates with a token (RFC 6750) that nobody refreshes.
    public mutating func bearer(_ token: String) {
        request[AuthenticationAttributes.scheme] = .bearer
        request[AuthenticationAttributes.token] = token
    }

    /// False sends the request as it is, whatever its origin's section says.
    public var isEnabled: Bool {
        get { request.attributes["authentication.enabled"] != "false" }
        set { request.attributes["authentication.enabled"] = newValue ? nil : "false" }
    }
}
