import PlugboardKit
import Testing

@Suite struct SettingTests {
    private struct Box: Plugin {
        static let manifest = Manifest(id: "box", version: "1.0.0", priority: 500, hooks: [])

        struct Settings: PluginSettings {
            @Setting("How many.", in: 1...10, isRequired: true) var number = 0
            @Setting("The key.", count: 16...64, isSecret: true, isRequired: true) var key = ""
            @Setting("The hosts.", count: 1...3, isRequired: true) var hosts: [String] = []
            @Setting("How often.", in: 1...10) var often = 2
        }

        init(settings: Settings, host: PluginHost) {}
    }

    @Test func `one that is required may have bounds, and has no default`() throws {
        let settings = try PluginDescriptor(checking: Box.descriptor).settings

        #expect(settings.map(\.name) == ["number", "key", "hosts", "often"])
        #expect(settings.map(\.isRequired) == [true, true, true, false])
        #expect(settings.map(\.bounds) == [1...10, 16...64, 1...3, 1...10])
        #expect(settings.map(\.fallback) == ["", "", "", "2"])
        #expect(settings[1].error(in: "short") != nil && settings[2].error(in: "[]") != nil)
    }

    @Test func `a code is a literal, or is made of parts or of a variable`() {
        let name = "shut"

        #expect(PlugboardError.Code("box.\(name)") == "box.shut")
        #expect(PlugboardError("box.\(name)", "No.").code.name == "box.shut")
        #expect(PlugboardError(.init(name), "No.").code.kind == "shut")
    }
}
