import PlugboardJSON
import TestSupport
import Testing

struct PluginCommandTests {
    private let id = "com.example.commander"
    private let plugin: String

    init() throws { plugin = try FixturePlugin.build("commander") }

    @Test func `a plugin's command gets its arguments as JSON, and its reply goes to standard output`() async throws {
        let pairs = try await Command.run(
            id, "echo", "count=2", "list=[1]", "name=two words", "text=\"2\"", "--plugin", plugin)
        let object = try await Command.run(id, "echo", #"{"a": null}"#, "--plugin", plugin)

        #expect(pairs.status == 0, "\(pairs.stderr)")
        #expect(pairs.stdout == #"{"count":2,"list":[1],"name":"two words","text":"2"}"# + "\n")
        #expect(object.stdout == #"{"a":null}"# + "\n")
    }

    @Test func `a command that fails ends with 104 and the plugin's reason`() async throws {
        let outcome = try await Command.run(id, "refuse", "--plugin", plugin)

        #expect(outcome.status == 104)
        #expect(outcome.stderr.contains("Not today."))
        #expect(outcome.stdout.isEmpty)
    }

    @Test func `an unknown command of a plugin ends with 104 and the names of its commands`() async throws {
        let outcome = try await Command.run(id, "dance", "--plugin", plugin)

        #expect(outcome.status == 104)
        #expect(outcome.stderr.contains("echo, refuse"))
    }

    @Test(arguments: ["nonsense", "{broken", "=1"])
    func `arguments that are neither pairs nor an object end with 2`(argument: String) async throws {
        let outcome = try await Command.run(id, "echo", argument, "--plugin", plugin)

        #expect(outcome.status == 2)
    }
}
