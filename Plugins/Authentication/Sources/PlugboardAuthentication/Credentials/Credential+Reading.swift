import PlugboardAuthenticationOptions
import PlugboardKit

extension Credential {
    /// Reads the attributes of a request by their full names; nil without `authentication.scheme`.
    ///
    /// Of several sources for one secret the first counts: the text, the file, the environment variable, the command,
    /// the provider.
    /// Throws `authentication.credential` if the attributes do not describe a credential.
    init?(reading attribute: (String) -> String?) throws(PlugboardError) {
        guard let text = attribute(AuthenticationAttributes.keys.scheme.name) else { return nil }
        switch AuthenticationScheme(rawValue: text) {
        case .basic: try self.init(basic: attribute)
        case .bearer: try self.init(bearer: attribute)
        case .oauth: try self.init(oauth: attribute)
        case nil: throw .credential("authentication.scheme must be basic, bearer or oauth")
        }
    }

    /// The attributes that can give a secret, for each kind of secret.
    static let sources: [[String]] = {
        let keys = AuthenticationAttributes.keys
        return [
            [
                keys.token.name, keys.tokenFile.name, keys.tokenEnvironment.name, keys.tokenCommand.name,
                keys.tokenProvider.name,
            ],
            [keys.password.name, keys.passwordFile.name, keys.passwordEnvironment.name],
            [keys.clientSecret.name, keys.clientSecretFile.name, keys.clientSecretEnvironment.name],
            [keys.refreshToken.name, keys.refreshTokenFile.name],
        ]
    }()

    private init(basic attribute: (String) -> String?) throws(PlugboardError) {
        guard let user = AuthenticationAttributes.keys.user.value(attribute) else {
            throw .credential("authentication.user is missing")
        }
        // RFC 7617 §2: the first colon ends the user.
        guard user.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: ":") }) else {
            throw .credential("authentication.user contains a colon or control characters")
        }
        let password = SecretText(
            attribute, AuthenticationAttributes.keys.password, file: AuthenticationAttributes.keys.passwordFile,
            environment: AuthenticationAttributes.keys.passwordEnvironment)
        guard let password else {
            throw .credential(
                "authentication.password, passwordFile or passwordEnvironment is missing; a password may be empty")
        }
        self.init(scheme: .basic(user: user), source: .text(password))
    }

    private init(bearer attribute: (String) -> String?) throws(PlugboardError) {
        let token = SecretText(
            attribute, AuthenticationAttributes.keys.token, file: AuthenticationAttributes.keys.tokenFile,
            environment: AuthenticationAttributes.keys.tokenEnvironment)
        if let token {
            self.init(scheme: .bearer, source: .text(token))
        } else if let command = AuthenticationAttributes.keys.tokenCommand.value(attribute), let program = command.first
        {
            guard !program.isEmpty, !command.contains(where: { $0.utf8.contains(0) }) else {
                throw .credential("authentication.tokenCommand does not name a program")
            }
            let lifetime = AuthenticationAttributes.keys.tokenLifetime.value(attribute)
            self.init(scheme: .bearer, source: .command(command, lifetime: lifetime))
        } else if let name = AuthenticationAttributes.keys.tokenProvider.value(attribute) {
            let lifetime = AuthenticationAttributes.keys.tokenLifetime.value(attribute)
            self.init(scheme: .bearer, source: .provider(name, lifetime: lifetime))
        } else {
            throw .credential(
                "authentication.token, tokenFile, tokenEnvironment, tokenCommand or tokenProvider is missing")
        }
    }

    private init(oauth attribute: (String) -> String?) throws(PlugboardError) {
        guard let url = AuthenticationAttributes.keys.tokenURL.value(attribute), Origin(url: url) != nil else {
            throw .credential("authentication.tokenURL is missing, or is not an http or https URL")
        }
        var endpoint = TokenEndpoint(url: url)
        endpoint.clientID = AuthenticationAttributes.keys.clientID.value(attribute)
        endpoint.clientSecret = SecretText(
            attribute, AuthenticationAttributes.keys.clientSecret, file: AuthenticationAttributes.keys.clientSecretFile,
            environment: AuthenticationAttributes.keys.clientSecretEnvironment)
        if let clientAuthentication = AuthenticationAttributes.keys.clientAuthentication.value(attribute) {
            endpoint.clientAuthentication = clientAuthentication
        }
        endpoint.refreshToken = SecretText(
            attribute, AuthenticationAttributes.keys.refreshToken, file: AuthenticationAttributes.keys.refreshTokenFile,
            environment: nil)
        endpoint.scope = AuthenticationAttributes.keys.scope.value(attribute)
        endpoint.parameters = AuthenticationAttributes.keys.parameters.value(attribute) ?? [:]
        endpoint.lifetime = AuthenticationAttributes.keys.tokenLifetime.value(attribute)
        if endpoint.clientSecret != nil && endpoint.clientID == nil {
            throw .credential("authentication.clientID is missing; a client's secret needs it")
        }
        if endpoint.refreshToken == nil && endpoint.clientSecret == nil && endpoint.parameters.isEmpty {
            throw .credential(
                "authentication.refreshToken, refreshTokenFile or a client's secret is missing for the token endpoint")
        }
        self.init(scheme: .bearer, source: .endpoint(endpoint))
    }
}

extension AttributeKey {
    fileprivate func value(_ attribute: (String) -> String?) -> Value? {
        attribute(name).flatMap { Value.optionForm.read($0) }
    }
}

extension SecretText {
    /// The first that is present: the text, the file, the environment variable.
    fileprivate init?(
        _ attribute: (String) -> String?, _ text: AttributeKey<String>, file: AttributeKey<String>,
        environment: AttributeKey<String>?
    ) {
        if let text = text.value(attribute) {
            self = .given(text)
        } else if let path = file.value(attribute) {
            self = .file(path)
        } else if let name = environment?.value(attribute) {
            self = .environment(name)
        } else {
            return nil
        }
    }
}
