import PlugboardJSON
import TestSupport
import Testing

struct ConfigCheckTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `a check reports all errors at once, with line, path and the nearest key`() async throws {
        let file = try folder.write(
            "plugboard.json",
            """
            {
              "kernel": { "timeot": "30s", "connections": -1 },
              "plugin": []
            }
            """)

        let outcome = try await Command.run("config", "check", file)

        let faults = outcome.stderr.split(separator: "\n")
        #expect(outcome.status == 1)
        #expect(faults.count == 3)
        #expect(faults.first?.hasPrefix("\(file), line 2, column 15: kernel.timeot") == true)
        #expect(faults.first?.contains("did you mean timeout?") == true)
        #expect(faults.dropFirst().first?.contains("kernel.connections") == true)
        #expect(faults.last?.contains("line 3") == true && faults.last?.contains("did you mean plugins?") == true)
    }

    @Test func `a check reports the errors of plugins too`() async throws {
        let redirect = try Products.library("plugboard-redirect")
        let file = try folder.write(
            "plugboard.json",
            #"{"plugins": [{"path": "\#(redirect)", "settings": {"limt": 1, "keepMethod": 2}}, "absent"]}"#)

        let outcome = try await Command.run("config", "check", file)

        #expect(outcome.status == 1)
        #expect(
            outcome.stderr.contains("plugins[0].settings.limt is not a known setting of redirect; did you mean limit?"))
        #expect(outcome.stderr.contains("plugins[0].settings.keepMethod"))
        #expect(outcome.stderr.contains("plugins[1] names no plugin"))
    }

    @Test(arguments: Linkage.allCases)
    func `a check reports unknown and wrong attributes in an origin's section`(linkage: Linkage) async throws {
        let library = try Products.library("plugboard-authentication")
        let plugin = linkage == .loaded ? #"{"path": "\#(library)"}"# : #""authentication""#
        let file = try folder.write(
            "plugboard.json",
            """
            {
              "plugins": [\(plugin)],
              "origins": {
                "https://a.example": {
                  "authentication": {"scheme": "basic", "user": "me"}
                },
                "https://b.example": {"authentication": {"scheme": "bearer", "token": "two hidden"}}
              }
            }
            """)

        let outcome = try await Command.run("config", "check", file)

        let faults = outcome.stderr.split(separator: "\n")
        #expect(outcome.status == 1 && faults.count == 2)
        #expect(
            faults.first?.hasPrefix(
                #"\#(file), line 5, column 7: origins["https://a.example"].authentication is refused by the plugin"#)
                == true)
        #expect(faults.first?.contains("authentication.password") == true)
        #expect(faults.last?.contains("line 7") == true)
        #expect(!outcome.stderr.contains("hidden"))
    }

    @Test func `errors of the text and of plugins come together, in the order of the text`() async throws {
        let one = try folder.write(
            "one.json",
            #"{"kernel":{"timeot":"1s"},"plugins":["absent",{"id":"redirect","settings":{"limt":1}}]}"#)
        let lines = try folder.write(
            "lines.json",
            """
            {
              "plugins": [{"id": "redirect", "settings": {"limt": 1}}, "absent"],
              "kernel": {"timeot": "1s"}
            }
            """)

        let inLine = try await Command.run("config", "check", one)
        let inLines = try await Command.run("config", "check", lines)

        #expect(inLine.status == 1 && inLines.status == 1)
        #expect(
            places(inLine) == [
                "1, column 12: kernel.timeot", "1, column 38: plugins[0]", "1, column 76: plugins[1].settings.limt",
            ])
        #expect(
            places(inLines) == [
                "2, column 47: plugins[0].settings.limt", "2, column 60: plugins[1]", "3, column 14: kernel.timeot",
            ])
    }

    /// The location of each error of a check: the text after the file's name, up to the path's end.
    private func places(_ outcome: ProcessRunner.Outcome) -> [String] {
        outcome.stderr.matches(of: #/, line (\d+, column \d+: \S+) /#).map { String($0.1) }
    }

    @Test func `a configuration without errors ends with 0`() async throws {
        let file = try folder.write("plugboard.json", #"{"kernel": {"timeout": "30s"}, /* none */ "plugins": []}"#)

        let outcome = try await Command.run("config", "check", file)

        #expect(outcome.status == 0)
        #expect(outcome.stdout.contains("nothing is wrong"))
        #expect(outcome.stderr.isEmpty)
    }

    @Test func `with --connect, plugins ask their servers, and the others do not begin their work`() async throws {
        let redis = try Products.library("plugboard-redis")
        let url = "unix://u:hidden@\(folder.file("none.sock"))"
        let file = try folder.write(
            "plugboard.json", #"{"plugins": ["retry", {"path": "\#(redis)", "settings": {"url": "\#(url)"}}]}"#)

        let alone = try await Command.run("config", "check", file)
        let outcome = try await Command.run("config", "check", "--connect", file)

        #expect(alone.status == 0 && outcome.status == 1)
        #expect(outcome.stdout.contains("nothing is wrong; plugins: redis, retry"))
        #expect(outcome.stderr.contains("redis: unix://\(folder.file("none.sock"))?db=0 is out: No such file"))
        #expect(!outcome.stderr.contains("hidden"))
    }

    @Test func `--connect asks nobody where no plugin has a server`() async throws {
        let file = try folder.write("plugboard.json", #"{"plugins": ["retry", "limit"]}"#)

        let outcome = try await Command.run("config", "check", "--connect", file)

        #expect(outcome.status == 0 && outcome.stderr.isEmpty)
    }

    @Test func `a file that does not exist is an error`() async throws {
        let outcome = try await Command.run("config", "check", folder.file("absent.json"))

        #expect(outcome.status == 1)
        #expect(outcome.stderr.contains("does not exist"))
    }

    @Test func `the schema is JSON`() async throws {
        let outcome = try await Command.run("config", "check", "--schema")

        let schema = try JSONParser.parse(outcome.stdout)
        #expect(schema["$schema"] == "https://json-schema.org/draft/2020-12/schema")
        #expect(schema["properties"]?["kernel"] != nil)
    }
}
