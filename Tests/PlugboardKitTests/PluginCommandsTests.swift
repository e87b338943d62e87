import PlugboardJSON
import PlugboardKit
import TestSupport
import Testing

/// Replies of commands that are read as JSON.
@Suite struct PluginCommandsTests {
    @Test func `a reply is read as JSON, and arguments are an object`() async throws {
        let commands = ReplyingCommands()

        #expect(try await commands.json("a", "b") == [:])
        #expect(try await commands.json("a", "b", ["c": [1, "d"]]) == ["c": [1, "d"]])
    }

    @Test(arguments: [CommandReply.json("{"), .body(.text("{}"))])
    func `a reply that is not JSON is an error that names the plugin and the command`(reply: CommandReply) async {
        let error = await #expect(throws: PlugboardError.self) { try await ReplyingCommands(reply).json("a", "b") }

        #expect(error?.code == .commandReply && error?.reason == "The plugin a replied to b without JSON.")
    }
}
