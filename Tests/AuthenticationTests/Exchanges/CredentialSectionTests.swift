import Plugboard
import TestSupport
import Testing

/// Sections of the configuration are checked when the kernel is created.
struct CredentialSectionTests {
    /// A section, and the attribute that the error names; nil for an accepted section.
    struct Example: Sendable {
        let section: [String: String]
        let names: String?
    }

    static let endpoint = ["scheme": "oauth", "tokenURL": "https://login.test/token"]

    static let examples = [
        Example(section: ["scheme": "basic", "user": "u"], names: "authentication.password"),
        Example(section: ["scheme": "basic", "password": "hidden"], names: "authentication.user"),
        Example(section: ["scheme": "basic", "user": "a:b", "password": "hidden"], names: "authentication.user"),
        Example(section: ["scheme": "basic", "user": "u", "password": "hidden\u{1}"], names: "password"),
        Example(section: ["scheme": "basic", "user": "u", "password": ""], names: nil),
        Example(section: ["scheme": "basic", "user": "u", "passwordFile": "/nowhere"], names: nil),
        Example(section: ["scheme": "bearer"], names: "authentication.token"),
        Example(section: ["scheme": "bearer", "token": "hidden hidden"], names: "token"),
        Example(
            section: ["scheme": "bearer", "tokenCommand": #"["","hidden"]"#], names: "authentication.tokenCommand"),
        Example(section: ["scheme": "bearer", "tokenEnvironment": "NOWHERE"], names: nil),
        Example(section: ["scheme": "oauth", "clientSecret": "hidden"], names: "authentication.tokenURL"),
        Example(section: endpoint, names: "authentication.refreshToken"),
        Example(section: endpoint.merging(["clientSecret": "hidden"]) { $1 }, names: "authentication.clientID"),
        Example(section: endpoint.merging(["refreshToken": "hidden"]) { $1 }, names: nil),
        // The requests may add a scheme, or enable the plugin.
        Example(section: ["token": "hidden"], names: nil),
        Example(section: ["scheme": "basic", "enabled": "false"], names: nil),
    ]

    @Test(arguments: Linkage.allCases, examples)
    func `a section without a whole credential is refused at the start, and the error does not contain secrets`(
        linkage: Linkage, example: Example
    ) async throws {
        let start = Result { try Setup.kernel(linkage, MockTransport(), origins: ["https://a.test": example.section]) }

        switch start {
        case .success(let kernel):
            await kernel.shutDown()
            #expect(example.names == nil, "the section was taken")
        case .failure(let error):
            let error = try #require(error as? PlugboardError)
            let names = try #require(example.names)
            #expect(error.code == .pluginStart && error.plugin == "authentication")
            #expect(error.reason.hasPrefix(#"origins["https://a.test"].authentication is refused by the plugin"#))
            #expect(error.reason.contains(names) && !error.reason.contains("hidden"))
        }
    }
}
