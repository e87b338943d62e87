import PlugboardAuthenticationOptions
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct TokenEndpointTests {
    @Test func `without a refresh token the request is a POST with client_credentials and the secret in Authorization`()
        async throws
    {
        let endpoint = TokenEndpoint(
            url: "https://login.test/token", clientID: "me & you", clientSecret: .given("s:e%c"), scope: "read write")

        let request = endpoint.request(clientSecret: "s:e%c", refreshToken: nil, timeout: .seconds(7))

        #expect(request.method == .post && request.url == "https://login.test/token")
        #expect(request["Content-Type"] == "application/x-www-form-urlencoded")
        // me+%26+you:s%3Ae%25c
        #expect(request[.authorization] == "Basic bWUrJTI2K3lvdTpzJTNBZSUyNWM=")
        #expect(try await request.body?.text() == "grant_type=client_credentials&scope=read+write")
        #expect(request.options.timeout == .seconds(7))
    }

    @Test func `a refresh token and, if configured, the client's secret are sent in the form`()
        async throws
    {
        let endpoint = TokenEndpoint(
            url: "https://login.test/token", clientID: "me", clientSecret: .given("s"), clientAuthentication: .body,
            refreshToken: .given("r"))

        let request = endpoint.request(clientSecret: "s", refreshToken: "r+1", timeout: .seconds(1))

        #expect(request[.authorization] == nil)
        #expect(
            try await request.body?.text()
                == "grant_type=refresh_token&refresh_token=r%2B1&client_id=me&client_secret=s")
    }

    @Test func `a public client sends its name without a secret, and parameters replace fields of the same name`()
        async throws
    {
        let endpoint = TokenEndpoint(
            url: "https://login.test/token", clientID: "me", refreshToken: .given("r"), scope: "a",
            parameters: ["scope": "b", "audience": "ü"])

        let request = endpoint.request(clientSecret: nil, refreshToken: "r", timeout: .seconds(1))

        #expect(
            try await request.body?.text()
                == "grant_type=refresh_token&refresh_token=r&client_id=me&audience=%C3%BC&scope=b")
    }

    @Test(
        arguments: [
            (#"{"access_token": "t"}"#, nil, nil),
            (#"{"access_token": "t", "token_type": "BEARER", "expires_in": 3600}"#, 3600, nil),
            (#"{"access_token": "t", "expires_in": "60", "refresh_token": "r"}"#, 60, "r"),
            (#"{"access_token": "t", "expires_in": -5, "refresh_token": ""}"#, 0, nil),
            (#"{"access_token": "t", "expires_in": 1e300}"#, 315_360_000, nil),
            (#"{"access_token": "t", "expires_in": [], "refresh_token": 1}"#, nil, nil),
        ] as [(String, Int?, String?)])
    func `a response with a token is accepted with lenient types`(body: String, lifetime: Int?, refreshToken: String?)
        throws
    {
        let response = try TokenResponse(status: 200, body: Bytes(body), of: "https://login.test")

        #expect(response.token == "t")
        #expect(response.lifetime == lifetime.map { .seconds($0) })
        #expect(response.refreshToken == refreshToken)
    }

    @Test(arguments: [
        (400, #"{"error": "invalid_grant", "error_description": "hidden"}"#, "400 (invalid_grant)"),
        (401, #"{"error": "hid den"}"#, "401 to the request"),
        (500, "hidden", "500 to the request"),
        (302, #"{"access_token": "hidden"}"#, "302 to the request"),
        (200, "hidden", "access_token"),
        (200, "[]", "access_token"),
        (200, #"{"access_token": ""}"#, "access_token"),
        (200, #"{"access_token": ["hidden"]}"#, "access_token"),
        (200, #"{"access_token": "hidden", "token_type": "mac"}"#, "not a bearer token"),
        (200, String(repeating: "[", count: 60_000), "access_token"),
        (200, "\u{0}\u{FF}", "access_token"),
        (200, "", "access_token"),
    ])
    func `a response without a token is an error that contains nothing of the body but the code`(
        status: Int, body: String, says: String
    ) {
        let error = #expect(throws: PlugboardError.self) {
            try TokenResponse(status: status, body: Bytes(body), of: "https://login.test")
        }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains(says) == true)
        #expect(error?.reason.contains("hid") == false)
    }
}
