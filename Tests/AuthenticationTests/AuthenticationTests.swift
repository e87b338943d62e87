import Testing

@testable import AuthenticationPlugin

@Suite struct AuthenticationTests {
    @Test func `the plugin has its id`() {
        #expect(Authentication.manifest.id == "authentication")
    }
}
