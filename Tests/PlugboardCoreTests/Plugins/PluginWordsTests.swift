import Plugboard
import PlugboardEventLoop
import PlugboardTransport
import TestSupport
import Testing

/// What plugins say, as it reaches logs and callers: `Fixtures/Plugins/forger.c`.
@Suite struct `The words of plugins` {
    private let id = "com.example.forger"
    private let forged = #"two\u{A}plugboard: fake line \u{1B}[31m"#

    private func failure(_ what: String, of kernel: Kernel) async throws -> PlugboardError {
        try await PlugboardCoreTests.failure(of: kernel, Request(.get, anywhere, fields: ["x-do": what]))
    }

    @Test func `a line of the log is one line, which steers no terminal`() throws {
        let record = Record()
        let log = KernelLog(level: .warning) { _, source, text in record.add("\(source) \(text)") }

        let kernel = try FixturePlugin.kernel("forger", log: log)

        #expect(record.lines.filter { $0.hasPrefix(id) } == ["\(id) \(forged)"])
        withExtendedLifetime(kernel) {}
    }

    @Test func `a text of the log may have further lines where they are indented`() throws {
        let record = Record()
        let plugin = ScriptedPlugin("box")
        plugin.onCreate = { $0.log(.warning, "heads\n    a: b\u{7}\n    c: d\nforged\n  too\r\n    and\n") }

        let kernel = try makeKernel([plugin], log: KernelLog(level: .warning) { _, _, text in record.add(text) })

        #expect(record.lines == ["heads\n    a: b\\u{7}\n    c: d\\u{A}forged\\u{A}  too\\u{D}\\u{A}    and"])
        withExtendedLifetime(kernel) {}
    }

    @Test func `an error keeps its reason, without control characters, and a malformed code becomes plugin.failed`()
        async throws
    {
        let kernel = try FixturePlugin.kernel("forger")

        let (bad, good) = try await (failure("fail", of: kernel), failure("fail-well", of: kernel))
        let mute = try await failure("fail-mute", of: kernel)

        #expect(bad.code == .pluginFailed && bad.reason == forged && bad.plugin == id)
        #expect(good.code == "com.example_1.no-more" && good.reason == "No more.")
        #expect(mute.code == .pluginFailed && mute.reason == "The plugin \(id) gave no reason.")
    }

    @Test func `the error of a fault names the plugin, the hook and the reason, once each`() async throws {
        let record = Record()
        let log = KernelLog(level: .error) { _, source, text in record.add("\(source): \(text)") }
        let kernel = try FixturePlugin.kernel("forger", log: log)

        let (fault, mute) = try await (failure("fault", of: kernel), failure("fault-mute", of: kernel))

        #expect(fault.reason == "The plugin \(id) is at fault in onRequest: it panicked: \(forged).")
        #expect(mute.reason == "The plugin \(id) is at fault in onRequest: it broke and gave no reason.")
        #expect(record.lines.first == "\(id): at fault in onRequest: it panicked: \(forged).")
    }

    @Test(arguments: [
        ("respond", "its respond was refused: the status 9999 is not one of 200 to 999"),
        ("respond-with", "its respond_with was refused: there is no sub-response"),
        ("resend", "its resend was refused: in onRequest nothing was sent yet"),
        ("wait", "its wait was refused: its pointer for the ticket is NULL"),
    ])
    func `a verdict that was refused says why`(what: String, why: String) async throws {
        let kernel = try FixturePlugin.kernel("forger")

        let error = try await failure(what, of: kernel)

        #expect(error.code == .pluginFault)
        #expect(error.reason == "The plugin \(id) is at fault in onRequest: \(why).")
    }

    @Test func `in onFailure nothing can be held`() async throws {
        let kernel = try FixturePlugin.kernel(
            "forger", MockTransport { _, _ in .failure(PlugboardError(.transportReset, "Cut.")) })

        let error = try await failure("hold", of: kernel)

        #expect(
            error.reason
                == "The plugin \(id) is at fault in onFailure: its hold was refused: in onFailure there is no body.")
    }

    @Test func `why a verdict was refused is forgotten with its hook`() async throws {
        let kernel = try FixturePlugin.kernel("forger")

        let error = try await failure("respond-next", of: kernel)

        #expect(error.reason.hasSuffix("at fault in onResponse: it returned the verdict 1 without its payload."))
    }

    @Test(arguments: [
        ("Nothing goes.", "Nothing goes."), ("Nothing goes", "Nothing goes."), ("Why?", "Why?"),
        ("-", "it gave no reason."),
        ("one\ntwo\n", #"one\u{A}two."#),
    ])
    func `a refusal is one sentence with one end`(reason: String, told: String) throws {
        let error = #expect(throws: PlugboardError.self) {
            try FixturePlugin.kernel("forger", settings: ["refuse": .string(reason)])
        }

        #expect(error?.reason == "The plugin \(id) could not be created: \(told)")
    }

    @Test func `a reply that is no JSON fails the command, and the error names the plugin`() async throws {
        let kernel = try FixturePlugin.kernel("forger")

        let error = await #expect(throws: PlugboardError.self) { try await kernel.command(id, "json") }
        let failed = await #expect(throws: PlugboardError.self) { try await kernel.command(id, "fail") }
        await kernel.shutDown()

        #expect(error?.code == .pluginFault && error?.plugin == id)
        let expected = "The plugin \(id) replied to the command with a text that is not JSON: "
        #expect(error?.reason.hasPrefix(expected) == true)
        #expect(kernel.counters["\(id).refused"] == 1)
        #expect(failed?.code == .pluginFailed && failed?.reason == forged)
    }
}
