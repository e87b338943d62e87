import CPlugboard
import PlugboardKit
import Testing

@testable import PluginCheck

struct RulesTests {
    @Test(arguments: ["1.0.0", "0.0.0", "10.20.30", "1.0.0-rc.1", "1.0.0+build.5", "1.2.3-a-b+c"])
    func `a version has three numbers`(_ version: String) { #expect(DescriptorRules.isVersion(version)) }

    @Test(arguments: ["", "1", "1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.x", "1.0.0-", " 1.0.0", "1.0.0 "])
    func `other texts are not versions`(_ version: String) { #expect(!DescriptorRules.isVersion(version)) }

    @Test func `an empty descriptor has a fault for each part that is missing`() {
        let faults = descriptorFaults(plug_plugin_v1())

        #expect(faults.count == 3, "\(faults)")
        #expect(faults.contains { $0.hasPrefix("its id is not made of words") })
        #expect(faults.contains("it has no create function"))
        #expect(faults.contains("its version '' is not major.minor.patch"))
    }

    @Test(arguments: ["kernel", "kernel.calls"])
    func `the id kernel and ids below it are reserved`(_ id: String) {
        var plugin = plug_plugin_v1()
        plugin.id = plug_text(immortal: id)

        #expect(descriptorFaults(plugin).first?.hasPrefix("its id is the kernel's own") == true)
    }

    @Test func `a listed hook without a function is a fault`() {
        var plugin = plug_plugin_v1()
        plugin.hooks = PLUG_ON_REQUEST | PLUG_ON_CLOSE | 1 << 20
        plugin.on_close = { _, _, _ in }

        let faults = descriptorFaults(plugin)

        #expect(faults.contains("it lists on_request but has no such function"))
        #expect(faults.contains("it lists an unknown hook"))
        #expect(!faults.contains { $0.contains("on_close") })
    }

    private func descriptorFaults(_ plugin: plug_plugin_v1) -> [String] {
        withUnsafePointer(to: plugin) { DescriptorRules.faults(in: $0) }
    }

    private func faults(_ change: (inout plug_option_v1) -> Void) -> [String] {
        var option = plug_option_v1()
        option.name = plug_text(immortal: "limit")
        option.type = PLUG_TYPE_INTEGER
        change(&option)
        return withUnsafePointer(to: option) {
            OptionRules.faults(in: UnsafeBufferPointer(start: $0, count: 1), "setting")
        }
    }

    @Test func `a plain option has no faults`() { #expect(faults { _ in }.isEmpty) }

    @Test func `each fault of an option names the option`() {
        #expect(faults { $0.name = plug_text() }.first?.hasPrefix("the setting number 1 has a name") == true)
        #expect(faults { $0.name = plug_text(immortal: "a b") }.first?.hasPrefix("the setting a b has a name") == true)
        #expect(faults { $0.type = 0 } == ["the setting limit has the type 0, which does not exist"])
        #expect(
            faults { $0.minimum = 5 } == ["the setting limit has a minimum that is larger than its maximum"])
        #expect(faults { $0.flags = 8 } == ["the setting limit has unknown flags"])
        #expect(
            faults { $0.choices = plug_text(immortal: "a b") } == ["the setting limit has choices and is not a text"])
        #expect(
            faults { $0.documentation = plug_text(immortal: "a\nb") }
                == ["the setting limit has more than one line of documentation"])
    }
}
