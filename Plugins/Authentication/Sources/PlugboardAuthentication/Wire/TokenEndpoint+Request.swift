import PlugboardAuthenticationOptions
import PlugboardKit

extension TokenEndpoint {
    /// All that a token depends on, but the refresh token.
    func identity(_ clientSecret: String?) -> [String] {
        [url, clientID ?? "", clientSecret ?? "", clientAuthentication.rawValue, scope ?? ""]
            + parameters.sorted { $0.key < $1.key }.flatMap { [$0.key, $0.value] }
    }

    /// The request for a token: by refresh token (RFC 6749 §6), or else by client credentials (§4.4).
    func request(clientSecret: String?, refreshToken: String?, timeout: Duration) -> Request {
        var form: [(name: String, value: String)] = []
        func add(_ name: String, _ value: String?) {
            if let value, parameters[name] == nil { form.append((name, value)) }
        }
        add("grant_type", refreshToken == nil ? "client_credentials" : "refresh_token")
        add("refresh_token", refreshToken)
        add("scope", scope)
        var fields = Fields(["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"])
        if let clientID, let clientSecret, clientAuthentication == .header {
            // RFC 6749 §2.3.1: both are form-encoded before they are joined.
            let pair = "\(FormText.encode(clientID)):\(FormText.encode(clientSecret))"
            fields[.authorization] = "Basic " + Base64.encode(Array(pair.utf8))
        } else {
            add("client_id", clientID)
            add("client_secret", clientSecret)
        }
        form += parameters.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var request = Request(.post, url, fields: fields, body: .text(FormText.encode(form)))
        request.options.timeout = timeout
        return request
    }
}
