import TestSupport
import Testing

struct HelpTests {
    @Test(arguments: [
        ["get"], ["head"], ["post"], ["put"], ["patch"], ["delete"], ["request"], ["exec"], ["config", "check"],
        ["plugins", "list"], ["plugins", "inspect"], ["plugins", "order"], ["plugins", "new"], ["plugins", "check"],
        ["plugins", "sdk"], ["explain"],
    ])
    func `every verb explains itself with examples`(verb: [String]) async throws {
        let arguments = [try Products.executable("plugboard")] + verb + ["--help"]

        let outcome = try await ProcessRunner.running(arguments)

        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("EXAMPLES:\n  "))
        #expect(outcome.stdout.contains("plugboard \(verb.joined(separator: " "))"))
        #expect(outcome.stderr.isEmpty)
    }

    @Test func `help lists the exit statuses`() async throws {
        let outcome = try await Command.run("--help")

        #expect(outcome.stdout.contains("\n   28  it took too long"))
        #expect(outcome.stdout.contains("\n  130  interrupted"))
    }

    @Test func `the version is one line`() async throws {
        let outcome = try await Command.run("--version")

        #expect(outcome.status == 0)
        #expect(outcome.stdout.wholeMatch(of: /plugboard \d+\.\d+\.\d+\n/) != nil)
    }

    @Test func `a misspelled verb is answered with the nearest`() async throws {
        let outcome = try await Command.run("gett", "http://127.0.0.1/")

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("Did you mean get?"))
        #expect(outcome.stdout.isEmpty)
    }

    @Test(arguments: [
        ["get"], ["get", "http://127.0.0.1/", "--nonsense"], ["get", "http://127.0.0.1/", "--timeout", "soon"],
        ["get", "http://127.0.0.1/", "-H", "nothing"], ["get", "http://127.0.0.1/", "--connect-to", "a:1"],
        ["post", "http://127.0.0.1/", "-d", "a", "--json", "{}"], ["post", "http://127.0.0.1/", "--form", "a"],
        ["get", "http://127.0.0.1/", "--set", "absent.key=1"], ["get", "http://127.0.0.1/", "--attribute", "a.b=1"],
        ["config", "check"], ["plugins", "inspect", "absent"],
    ])
    func `what cannot be meant ends with 2`(arguments: [String]) async throws {
        let outcome = try await ProcessRunner.running([try Products.executable("plugboard")] + arguments)

        #expect(outcome.status == 2)
        #expect(!outcome.stderr.isEmpty)
        #expect(outcome.stdout.isEmpty)
    }
}
