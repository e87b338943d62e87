import Plugboard
import PlugboardSystem
import TestSupport
import Testing

@testable import PlugboardCore

@Suite struct `How many loops a kernel has` {
    private func settings(_ text: String) throws -> KernelSettings {
        try Configuration.text("{ \"kernel\": { \"loops\": \(text) } }").kernel
    }

    @Test func `is a number or automatic in a configuration`() throws {
        #expect(try settings("1").loops == 1)
        #expect(try settings("64").loops == 64)
        #expect(try settings("\"automatic\"").loops == .automatic)
        #expect(KernelSettings().loops == nil)
    }

    @Test(arguments: ["0", "65", "1.5", "-1", "\"many\"", "\"4\"", "true", "null"])
    func `is nothing else, which an error says`(text: String) throws {
        let error = #expect(throws: PlugboardError.self) { try settings(text) }

        #expect(
            error?.reason.contains("kernel.loops must be a whole number between 1 and 64, or \"automatic\"") == true)
    }

    @Test func `is that of the processor cores where it is automatic`() {
        #expect((1...64).contains(LoopCount.automatic.count))
        #expect(LoopCount(1000).count == 64 && LoopCount(-3).count == 1)
    }

    @Test func `is what the environment says where the settings say nothing`() throws {
        #expect(try LoopCount(environment: nil) == nil)
        #expect(try LoopCount(environment: "") == nil)
        #expect(try LoopCount(environment: "3") == 3)
        #expect(try LoopCount(environment: "automatic") == .automatic)
    }

    @Test(arguments: ["0", "65", "two", "1.5", " 1"]) func `is a clear error for a bad environment`(text: String) {
        let error = #expect(throws: PlugboardError.self) { try LoopCount(environment: text) }

        #expect(error?.code == .configuration)
        let wanted = "PLUGBOARD_LOOPS must be a whole number between 1 and 64, or \"automatic\", not \"\(text)\"."
        #expect(error?.reason.contains(wanted) == true)
    }

    @Test(arguments: [
        ("200000 100000", 2), ("150000 100000", 2), ("50000 100000", 1), ("max 100000", nil), ("", nil),
        ("0 100000", nil), ("100000 0", nil), ("9223372036854775807 1", Int.max),
    ])
    func `follows the quota of a control group`(text: String, cores: Int?) {
        #expect(CPUQuota.cores(text + "\n") == cores)
    }

    @Test func `follows the smallest quota of the groups that the process lies in`() throws {
        let folder = try TemporaryFolder("cgroup")
        try folder.write("groups", "1:cpu:/old\n0::/a/b\n")
        try folder.write("root/a/cpu.max", "300000 100000\n")
        try folder.write("root/a/b/cpu.max", "max 100000\n")

        let cores = CPUQuota.read(groups: folder.file("groups"), below: folder.file("root"))

        #expect(cores == 3)
        #expect(CPUQuota.read(groups: folder.file("none"), below: folder.file("root")) == nil)
        #expect(CPUQuota.group("0::/\n") == "")
    }

    @Test func `is lowered to a limit of connections, with a warning that names the limit`() throws {
        var warnings: [String] = []
        var settings = KernelSettings()
        (settings.loops, settings.connections) = (8, 2)

        #expect(try settings.loopCount { warnings.append($0) } == 2)
        #expect(warnings.count == 1 && warnings[0].contains("2 of 8 loops, because connections"))

        settings.loops = .automatic
        #expect(try settings.loopCount { warnings.append($0) } == 1)
        #expect(warnings.count == 1)
    }
}
