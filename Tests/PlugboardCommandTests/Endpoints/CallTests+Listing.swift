import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// What can be called: lists, completions and the check of a configuration.
extension CallTests {
    @Test func `endpoints list and show describe all that can be called`() async throws {
        let list = try await Command.run("endpoints", "list", "--openapi", CallTests.document)
        let json = try await Command.run("endpoints", "list", "--json", "--openapi", CallTests.document)
        let show = try await Command.run("endpoints", "show", "placeOrder", "--openapi", CallTests.document)

        #expect(list.status == 0)
        #expect(list.stdout.split(separator: "\n").count == 100)
        #expect(
            list.stdout.contains("\nsimilarTopics         GET      /topics/{topic}/similar          (deprecated) Finds")
        )
        #expect(list.stderr.contains("callbacks are requests to a program and are not read"))
        let objects = try #require(try JSONParser.parse(json.stdout).arrayValue)
        #expect(objects.count == 100)
        #expect(objects.first?["name"] == "listBoards" && objects.first?["parameters"]?[0]?["type"] == "integer")
        #expect(
            show.stdout == """
                POST https://eu.corner.example/v1/orders
                Orders what is in the cart.

                  Idempotency-Key  header  string   required
                  address          body    object   required
                  gift             body    boolean

                body: application/json, required
                response: object of Order
                security: token, or basic

                """)
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `names, parameters and values are completed from the file on the line`(shell: String) async throws {
        func completions(_ position: Int, _ index: Int, _ words: String...) async throws -> [String] {
            let outcome = try await Command.running(
                ["---completion", "call", "--", "positional@\(position)", "\(index)", "0", "plugboard", "call"] + words
                    + ["--openapi", CallTests.document], environment: ["SAP_SHELL": shell])
            // In zsh, the parser adds a line of one space.
            return outcome.stdout.split(separator: "\n").map { String($0.prefix { $0 != "\\" }) }.filter { $0 != " " }
        }

        #expect(try await completions(0, 2, "listTop") == ["listTopics", "listTopicsOfUser"])
        #expect(try await completions(1, 3, "listTopics", "") == ["board=", "page=", "tags=", "order="])
        #expect(try await completions(1, 3, "listTopics", "order=v") == ["order=votes"])
        #expect(try await completions(1, 5, "listTopics", "order", "=", "n") == ["newest"])
        #expect(try await completions(1, 3, "unknown", "") == [])
    }

    @Test func `scripts of completions ask for names and parameters`() async throws {
        for shell in ["bash", "zsh", "fish"] {
            let outcome = try await Command.run("--generate-completion-script", shell)

            #expect(outcome.status == 0)
            #expect(outcome.stdout.contains("---completion"))
            #expect(outcome.stdout.contains("endpoints"))
        }
    }

    @Test func `config check checks the section of endpoints too`() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "plugboard.json", #"{"kernel": {"timout": "1s"}, "endpoints": {"A": {"path": "a", "refines": "A"}}}"#)

        let outcome = try await Command.run("config", "check", file)
        let schema = try JSONParser.parse(try await Command.run("config", "check", "--schema").stdout)

        #expect(outcome.status == 1)
        #expect(
            outcome.stderr == """
                \(file), line 1, column 13: kernel.timout is not a known key; did you mean timeout?
                \(file), line 1, column 74: endpoints.A.refines makes a cycle: A → A

                """)
        #expect(
            schema["properties"]?["endpoints"]?["additionalProperties"]?["properties"]?["path"]?["type"] == "string")
    }
}
