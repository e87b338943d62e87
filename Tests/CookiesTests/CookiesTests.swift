import Testing

@testable import CookiesPlugin

@Suite struct CookiesTests {
    @Test func `the plugin has its id`() {
        #expect(Cookies.manifest.id == "cookies")
    }
}
