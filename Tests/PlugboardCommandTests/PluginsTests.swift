import PlugboardJSON
import TestSupport
import Testing

struct PluginsTests {
    private let redirect: String
    private let decode: String
    private let folder: TemporaryFolder

    init() throws {
        redirect = try Products.library("plugboard-redirect")
        decode = try Products.library("plugboard-decode")
        folder = try TemporaryFolder()
    }

    private func configuration() throws -> String {
        try folder.write(
            "plugboard.json",
            #"{"plugins": [{"path": "\#(decode)"}, {"path": "\#(redirect)", "priority": 340}]}"#)
    }

    @Test func `order shows the chain from the outermost, inward and outward`() async throws {
        let outcome = try await Command.run("plugins", "order", "--config", try configuration())

        let lines = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        try #require(outcome.status == 0 && lines.count > 3, "\(outcome.stderr)")
        #expect(lines[0].prefix(3) == ["340", "redirect", redirect])
        #expect(lines[0].contains("configured") && lines[0].last == "plugins[1]")
        #expect(lines[1].prefix(3) == ["350", "decode", decode])
        #expect(lines[2].contains("onRequest") && lines[2].contains("decode") && !lines[2].contains("redirect"))
        #expect(lines[3].contains("redirect") && lines[3].contains("decode"))
    }

    @Test func `order shows which plugins listen to events, and which take no part`() async throws {
        let configuration = try folder.write(
            "plugboard.json", #"{"plugins": ["logging", "cookies", "redirect", {"id": "cache", "enabled": false}]}"#)

        let outcome = try await Command.run("plugins", "order", "--config", configuration)

        let lines = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        #expect(lines.contains(["events", "onEvent", "logging", "cookies"]))
        let listening = try #require(lines.firstIndex(of: ["Listening:"]))
        try #require(lines.count > listening + 2)
        #expect(lines[listening + 1...listening + 2].map(\.first) == ["logging", "cookies"])
        #expect(lines[listening + 2].contains("headReceived"))
        let absent = try #require(lines.firstIndex(of: ["Not", "taking", "part:"]))
        try #require(lines.count > absent + 2)
        #expect(lines[absent + 1].first == "cache" && lines[absent + 1].last == "plugins[3].enabled")
        #expect(lines.last?.first == "unlisted:" && lines.last?.contains("decode,") == true)
    }

    @Test func `order as JSON has the chain of each hook, and the reason for each position`() async throws {
        let configuration = try folder.write(
            "plugboard.json",
            """
            {"plugins": [{"id": "logging", "priority": 5}, "cookies", {"path": "\(decode)"},
                         {"id": "redirect", "after": ["cookies"], "priority": 20}, {"id": "cache", "enabled": false}]}
            """)

        let outcome = try await Command.run("plugins", "order", "--config", configuration, "--json")

        let order = try JSONParser.parse(outcome.stdout)
        let plugins = try #require(order["plugins"]?.arrayValue)
        #expect(outcome.stderr.isEmpty)
        #expect(plugins.map { $0["id"] } == ["logging", "decode", "cookies", "redirect"])
        #expect(
            plugins.map { $0["reason"] }
                == ["configured priority", "default priority", "before redirect", "after cookies"])
        #expect(plugins.map { $0["path"]?.stringValue } == [nil, decode, nil, nil])
        let locations = plugins[1]["locations"]?.arrayValue?.map { $0.stringValue }
        #expect(locations == ["\(configuration), line 1: plugins[2]"])
        #expect(plugins[2]["events"] == ["headReceived"] && plugins[3]["events"] == nil)
        #expect(order["hooks"]?["onRequest"] == ["logging", "decode", "cookies"])
        #expect(order["hooks"]?["onResponse"] == ["redirect", "decode", "logging"])
        #expect(order["hooks"]?["onEvent"] == ["logging", "cookies"])
        #expect(order["absent"]?.arrayValue?.first?["id"] == "cache")
        #expect(order["warnings"] == [])
    }

    @Test func `list says why a plugin does not run`() async throws {
        let configuration = try folder.write(
            "plugboard.json", #"{"plugins": [{"path": "\#(redirect)", "enabled": false}, {"path": "\#(decode)"}]}"#)

        let outcome = try await Command.run("plugins", "list", "--config", configuration, "--safe", "--json")

        let list = try #require(try JSONParser.parse(outcome.stdout).arrayValue)
        let why = { (linkage: String, id: String) in
            list.first { $0["linkage"]?.stringValue == linkage && $0["id"]?.stringValue == id }?["why"]?.stringValue
        }
        #expect(why(redirect, "redirect") == "disabled by \(configuration), line 1: plugins[0].enabled")
        #expect(why(decode, "decode") == "not loaded because of --safe")
        // The linked plugin of the same id is a different one.
        #expect(why("linked", "decode") == "not listed by the configuration or by --plugin")
        #expect(list.allSatisfy { $0["enabled"] == "no" })
    }

    @Test func `a folder of plugins that does not exist is a warning`() async throws {
        let configuration = try folder.write("plugboard.json", #"{"kernel": {"pluginFolders": ["nowhere"]}}"#)

        for verb in [["plugins", "order", "--config"], ["plugins", "list", "--config"], ["config", "check"]] {
            let outcome = try await ProcessRunner.running(
                [Products.executable("plugboard")] + verb + [configuration])

            #expect(outcome.status == 0)
            #expect(
                outcome.stderr.contains("warning: kernel.pluginFolders[0] is \(folder.file("nowhere")), which is no"))
        }
    }

    @Test func `paths that are written differently are the same`() async throws {
        try folder.write("plugboard.json", #"{"plugins": [{"path": "./absent.so", "enabled": false}]}"#)

        let outcome = try await Command.shell(
            #"cd "$folder" && "$plugboard" plugins order --config plugboard.json --plugin .//./absent.so"#,
            ["folder": folder.path])

        #expect(outcome.status == 101)
        #expect(outcome.stderr.contains("plugins[0] cannot be loaded: \(folder.path)/./absent.so does not exist."))
    }

    @Test func `a path of the command line is shown without its dots`() async throws {
        let outcome = try await Command.run("plugins", "order", "--plugin", "\(folder.path)/./absent.so")

        #expect(outcome.stderr.contains(" \(folder.file("absent.so"))"))
    }

    @Test func `order of no plugins says so`() async throws {
        #expect(try await Command.run("plugins", "order").stdout.hasPrefix("No plugins"))
    }

    @Test func `list names what a configuration loads`() async throws {
        let outcome = try await Command.run("plugins", "list", "--json", "--config", try configuration())

        let list = try #require(try JSONParser.parse(outcome.stdout).arrayValue)
        let loaded = try #require(list.first { $0["id"] == "redirect" })
        #expect(loaded["linkage"]?.stringValue == redirect)
        #expect(loaded["priority"] == "340" && loaded["enabled"] == "yes")
    }

    @Test func `inspect reads a file without running it`() async throws {
        let outcome = try await Command.run("plugins", "inspect", redirect, "--metadata", "--json")

        let report = try JSONParser.parse(outcome.stdout)
        #expect(report["file"]?["id"] == "redirect")
        #expect(report["file"]?["sha256"]?.stringValue?.count == 64)
        #expect(report["plugin"] == nil)
    }

    @Test func `inspect shows settings and attributes as tables`() async throws {
        let outcome = try await Command.run("plugins", "inspect", redirect)

        #expect(outcome.stdout.contains(/\nSettings\n  limit +integer 0…1000 +=/))
        #expect(outcome.stdout.contains(/\nAttributes\n  redirect\.follow +bool/))
    }

    @Test func `list names the linked plugins, and whether they are enabled`() async throws {
        let outcome = try await Command.run("plugins", "list", "--plugin", "decode")

        let rows = outcome.stdout.split(separator: "\n").map { $0.split(separator: " ").map { String($0) } }
        #expect(rows.first?.first == "ID")
        let enabled = rows.dropFirst().map { ($0.first ?? "", $0.last ?? "") }
        #expect(enabled.map(\.0) == enabled.map(\.0).sorted())
        #expect(Set(enabled.map(\.0)).isSuperset(of: ["decode", "logging", "redirect"]))
        #expect(enabled.filter { $0.1 == "yes" }.map(\.0) == ["decode"])
    }

    @Test func `a plugin that is enabled twice is an error of the configuration`() async throws {
        let outcome = try await Command.run("plugins", "order", "--config", try configuration(), "--plugin", "redirect")

        #expect(outcome.status == 100)
        #expect(outcome.stderr.contains("redirect a second time"))
    }

    @Test func `a file of the working folder is inspected without a slash`() async throws {
        let outcome = try await ProcessRunner.running(
            [Products.executable("plugboard"), "plugins", "inspect", "libplugboard-redirect.so", "--metadata"],
            folder: String(redirect.dropLast("/libplugboard-redirect.so".count)))

        #expect(outcome.status == 0, "\(outcome.stderr)")
        #expect(outcome.stdout.contains(redirect))
    }

    @Test(arguments: [
        ("redirect.limit=-1", "must lie between 0 and 1000"), ("redirect.limit=many", "must be a whole number"),
        ("redirect.limt=1", "is not a known setting. Did you mean redirect.limit?"),
        ("logging.level=loud", "must be one of"), ("cache.memory=big", "must be a size"),
        ("redirect.limit=", "must be a whole number"),
    ])
    func `an error of --set names --set, and not the file`(setting: String, error: String) async throws {
        let name = setting.prefix { $0 != "=" }
        let configuration = try folder.write(
            "plugboard.json", #"{"plugins": [{"id": "redirect", "settings": {"limit": 2}}, "logging", "cache"]}"#)

        let outcome = try await Command.run("plugins", "order", "--config", configuration, "--set", setting)

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("plugboard: --set \(name) \(error)"), "\(outcome.stderr)")
        #expect(!outcome.stderr.contains("plugboard.json"))
    }

    @Test func `inspect shows no secrets`() async throws {
        let plugin = try FixturePlugin.build("commander")

        let outcome = try await Command.run("plugins", "inspect", plugin)

        #expect(outcome.stdout.contains(/\nSettings\n  key +text +What opens the door. Secret.\n/))
        #expect(!outcome.stdout.contains("hidden"))
    }
}
