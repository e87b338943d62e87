import PlugboardJSON
import TestSupport
import Testing

@testable import PluginCheck

struct CheckVerbTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("check") }

    @Test func `the lines of a report are aligned, and a summary follows`() async throws {
        let path = try await BadPlugin.build("exports_more", in: folder)

        let verdict = try await BadPlugin.check(path, "--only", "load", "--only", "exports", "--seed", "7")

        let lines = verdict.output.split(separator: "\n")
        #expect(lines.count == 3, "\(verdict.output)")
        #expect(lines[0] == "passed   load")
        #expect(lines[1].hasPrefix("warned   exports  it exports 1 more names"))
        #expect(lines[2] == "\(path): 1 passed, 1 warned (seed 7)")
        #expect(verdict.status == 0)
    }

    @Test func `with strict, a warning refuses the plugin`() async throws {
        let path = try await BadPlugin.build("exports_more", in: folder)

        let verdict = try await BadPlugin.check(path, "--only", "exports", "--strict", "--json")

        #expect(verdict.status == 1)
        #expect(try JSONParser.parse(verdict.output)["refused"] == true)
        #expect(verdict.errors.isEmpty)
    }

    @Test func `of a file that cannot be loaded, all other checks are untried`() async throws {
        let path = try await BadPlugin.build("undefined_symbol", in: folder)

        let verdict = try await BadPlugin.check(path, "--json")

        #expect(verdict.status == 1)
        #expect(verdict.results["load"]?.status == .failed)
        #expect(verdict.results.values.count { $0.status == .untried } == PluginCheck.catalog.count - 1)
    }

    @Test func `a plugin that cannot be created fails one check, and the others are untried`() async throws {
        let path = try await BadPlugin.build("refuses_defaults", in: folder)

        let verdict = try await BadPlugin.check(path, "--json")

        #expect(verdict.results.values.filter { $0.status == .failed }.map(\.check) == ["defaults"])
        #expect(verdict.results["heads"]?.reason == "it cannot be created: see the check defaults")
    }

    @Test func `a required setting is given on the command line`() async throws {
        let path = try await BadPlugin.build("needs_key", in: folder)

        let verdict = try await BadPlugin.check(path, "--only", "defaults", "--set", "key=a=b", "--json")

        #expect(verdict.results["defaults"]?.status == .passed, "\(verdict.output)")
    }

    @Test func `a check that could not be made is reported, and with strict refuses the plugin`() async throws {
        let path = try await BadPlugin.build("needs_key", in: folder)

        let mild = try await BadPlugin.check(path, "--only", "heads", "--only", "exports")
        let strict = try await BadPlugin.check(path, "--only", "heads", "--only", "exports", "--strict")
        let given = try await BadPlugin.check(path, "--only", "heads", "--set", "key=a", "--strict")

        let remark = "not everything was checked: heads could not be tried"
        #expect(mild.output.contains("untried  heads    it needs the setting key"), "\(mild.output)")
        #expect(mild.status == 0 && mild.output.hasSuffix("\(remark)\n"))
        #expect(strict.status == 1 && strict.output.hasSuffix("\(remark), so --strict refuses the plugin\n"))
        #expect(given.status == 0 && !given.output.contains("not everything"), "\(given.output)")
    }

    @Test func `settings come from a configuration that names the plugin by its file or its id`() async throws {
        let path = try await BadPlugin.build("needs_key", in: folder)
        let byFile = try folder.write(
            "file.json", #"{"plugins": [{"path": "needs_key.so", "settings": {"key": "a"}}]}"#)
        let byID = try folder.write(
            "id.json", #"{"plugins": [{"id": "com.example.needs-key", "settings": {"key": "a"}}]}"#)
        let other = try folder.write("other.json", #"{"plugins": ["redirect"]}"#)

        for file in [byFile, byID] {
            let verdict = try await BadPlugin.check(path, "--only", "heads", "--strict", "--config", file)
            #expect(verdict.status == 0, "\(verdict.output) \(verdict.errors)")
        }
        let absent = try await BadPlugin.check(path, "--config", other)
        #expect(absent.status == 2)
        #expect(absent.errors.contains("has no plugin with the path \(path) or the id com.example.needs-key."))
    }

    @Test func `the report says which hooks each check called, and what they returned`() async throws {
        let path = try await BadPlugin.build("responds_by_subrequest", in: folder)

        let text = try await BadPlugin.check(path, "--only", "defaults", "--only", "load")
        let json = try JSONParser.parse(
            try await BadPlugin.check(path, "--only", "defaults", "--only", "load", "--json").output)

        #expect(text.output.contains("passed   defaults  [on_request 1 respond, 1 wait]\n"), "\(text.output)")
        #expect(text.output.hasSuffix("\ncovered: on_request 1 respond, 1 wait\n"), "\(text.output)")
        let covered: JSONValue = ["on_request": ["calls": 2, "respond": 1, "wait": 1]]
        #expect(json["covered"] == covered)
        #expect(json["checks"]?.arrayValue?.map { $0["covered"] } == [nil, covered])
    }

    @Test func `a correct plugin that responds with sub-responses is not refused`() async throws {
        let path = try await BadPlugin.build("responds_by_subrequest", in: folder)

        let verdict = try await BadPlugin.check(
            path, ["cancellation", "suspension", "waits", "wakes"].flatMap { ["--only", $0] } + ["--strict"])

        #expect(verdict.status == 0, "\(verdict.output)")
    }

    @Test func `a plugin gets the sample response, head and body`() async throws {
        let path = try await BadPlugin.build("marks_sample", in: folder)
        let sample = try folder.write("sample.http", "HTTP/1.1 207 Multi\r\nX-Kind: report\r\n\r\n<report/>")
        let only = ["--only", "bare-host", "--seed", "1", "--json"]

        let without = try await BadPlugin.check(path, only)
        let with = try await BadPlugin.check(path, only + ["--response", sample])

        #expect(without.status == 0, "\(without.output)")
        #expect(with.results["bare-host"]?.status == .crashed, "\(with.output)")
        #expect(with.results["bare-host"]?.reason.contains("with GET that gets the sample") == true)
    }

    @Test func `a plugin gets the sample request, and its command the arguments that are given`() async throws {
        let path = try await BadPlugin.build("marks_request", in: folder)
        let sample = try folder.write("sample.request", "POST https://api.example/orders\nX-A: 1\n\n{\"id\":7}")
        let only = ["bare-host", "commands"].flatMap { ["--only", $0] } + ["--seed", "1", "--json"]

        let without = try await BadPlugin.check(path, only)
        let with = try await BadPlugin.check(path, only + ["--request", sample])
        let called = try await BadPlugin.check(path, only + ["--command", #"show={"limit":3}"#])

        #expect(without.status == 0, "\(without.output)")
        #expect(with.results["bare-host"]?.reason.contains("with the sample request") == true, "\(with.output)")
        #expect(called.results["bare-host"]?.status == .passed, "\(called.output)")
        #expect(called.results["commands"]?.reason.contains("in command, with the command show") == true)
    }

    @Test(arguments: [
        ("POST /orders\n\n", "Line 1"), ("https://api.example/\n\n", "Line 1"), ("GET http://a.test/\nX\n\n", "Line 2"),
    ])
    func `a request that cannot be read is refused with its line`(text: String, line: String) async throws {
        let sample = try folder.write("sample.request", text)

        let verdict = try await BadPlugin.check("/nowhere.so", "--request", sample)

        #expect(verdict.status == 1 && verdict.output.isEmpty)
        #expect(verdict.errors.contains("\(line) of the sample request cannot be used"), "\(verdict.errors)")
    }

    @Test func `a plugin whose threads need real time is told so, and passes with a slower clock`() async throws {
        let path = try await BadPlugin.build("slow_thread", in: folder)

        let fast = try await BadPlugin.check(path, "--only", "parallel", "--json")
        let slow = try await BadPlugin.check(path, "--only", "parallel", "--json", "--clock-speed", "1")

        let reason = fast.results["parallel"]?.reason ?? ""
        #expect(
            reason.contains("com.example.slow-thread.late") && reason.contains("runs 100 times faster"), "\(reason)")
        #expect(slow.results["parallel"]?.status == .passed, "\(slow.output)")
    }

    @Test(arguments: ["show", "show=3", "show={"])
    func `arguments of a command that are no JSON object are refused`(text: String) async throws {
        let verdict = try await BadPlugin.check("/nowhere.so", "--command", text)

        #expect(verdict.errors.contains("--command must be name=json"), "\(verdict.errors)")
    }

    @Test(arguments: [
        ("200 OK\n\n", "Line 1"), ("HTTP/1.1 200 OK\nX-A: 1\n", "Line 3"), ("HTTP/1.1 200 OK\nX-A\n\n", "Line 2"),
        ("HTTP/1.1 100 Continue\n\n", "Line 1"), ("", "Line 1"),
    ])
    func `a response that cannot be read is refused with its line`(text: String, line: String) async throws {
        let sample = try folder.write("sample.http", text)

        let verdict = try await BadPlugin.check("/nowhere.so", "--response", sample)

        #expect(verdict.status == 1 && verdict.output.isEmpty)
        #expect(verdict.errors.contains("\(line) of the sample response cannot be used"), "\(verdict.errors)")
    }

    @Test func `the id of a linked plugin is refused, and the error names its file`() async throws {
        let verdict = try await BadPlugin.check("redirect")

        #expect(verdict.status == 2)
        #expect(verdict.errors.hasPrefix("plugboard: The plugin redirect is linked into this program."))
        #expect(verdict.errors.contains("libplugboard-redirect.so"))
    }

    @Test func `the same seed draws the same exchanges`() async throws {
        let path = try await BadPlugin.build("rare", in: folder)

        let first = try await BadPlugin.check(path, "--only", "fuzz", "--seed", "5", "--json")
        let second = try await BadPlugin.check(path, "--only", "fuzz", "--seed", "5", "--json")
        let other = try await BadPlugin.check(path, "--only", "fuzz", "--seed", "6", "--json")

        #expect(first.results["fuzz"]?.status == .crashed)
        #expect(first.results == second.results)
        #expect(first.results != other.results)
    }

    @Test func `an unknown check is an error that names the checks`() async throws {
        let verdict = try await BadPlugin.check("/nowhere.so", "--only", "loda")

        #expect(verdict.status == 2)
        #expect(verdict.errors.contains("There is no check loda. The checks are load, exports,"))
    }

    @Test func `a relative path is shown without its dots`() async throws {
        let verdict = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", "././absent.so", "--only", "load"],
            folder: folder.path)

        #expect(verdict.stdout.contains("\(folder.path)/absent.so"), "\(verdict.stdout)")
        #expect(verdict.stdout.hasSuffix("\n././absent.so: 1 failed (seed \(seed(in: verdict.stdout)))\n"))
    }

    private func seed(in text: String) -> Substring { text.firstMatch(of: /seed ([0-9]+)/)?.1 ?? "" }

    @Test func `a file that does not exist fails to load`() async throws {
        let verdict = try await BadPlugin.check(folder.file("absent.so"), "--only", "load", "--json")

        #expect(verdict.status == 1)
        #expect(verdict.results["load"]?.reason.contains("loading.missing") == true)
    }

    @Test(arguments: ["absent", "undefined_symbol", "bad_table"])
    func `a file that cannot be loaded is refused, whichever checks were chosen`(name: String) async throws {
        let path =
            name == "absent" ? folder.file("absent.so") : try await BadPlugin.build(name, in: folder)

        let verdict = try await BadPlugin.check(path, "--only", "parallel", "--json")

        #expect(verdict.status == 1)
        #expect(verdict.results.values.contains { $0.status == .failed }, "\(verdict.output)")
    }

    @Test func `a file of the working folder is checked without a slash`() async throws {
        _ = try await BadPlugin.build("exports_more", in: folder)

        let verdict = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", "exports_more.so", "--only", "load"],
            folder: folder.path)

        #expect(verdict.status == 0, "\(verdict.stdout)")
    }

    @Test func `the help names every check, and hides check-alone`() async throws {
        // The argument parser breaks lines.
        let help = try await BadPlugin.check("--help").output.split { $0.isWhitespace }.joined(separator: " ")
        let verbs = try await ProcessRunner.running([Products.executable("plugboard"), "plugins", "--help"]).stdout

        for check in PluginCheck.catalog {
            #expect(help.contains(check.purpose), "\(check.name)")
        }
        for key in CheckReport(path: "", seed: 0, results: []).json(strict: false).objectValue ?? [:] {
            #expect(help.contains(" \(key.key) "), "--json writes \(key.key)")
        }
        #expect(verbs.contains("check ") && !verbs.contains("check-alone"))
    }

    @Test func `no temporary files are left behind`() async throws {
        let path = try await BadPlugin.build("exits", in: folder)
        let scratch = try TemporaryFolder("scratch")

        _ = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "check", path, "--only", "defaults", "--only", "heads"],
            environment: ["TMPDIR": scratch.path])

        #expect(try scratch.entries().isEmpty)
    }
}
