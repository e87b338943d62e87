import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct ConfigVerbTests {
    private let folder: TemporaryFolder
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("config/plugboard/plugboard.json")
    }

    private func run(_ arguments: String..., editor: String = "true") async throws -> ProcessRunner.Outcome {
        try await Command.running(
            arguments, environment: ["PLUGBOARD_CONFIG": file, "EDITOR": editor, "VISUAL": "", "PLUGBOARD_LOOPS": "2"])
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    // MARK: init

    @Test func `init writes a private file in which nothing is wrong`() async throws {
        let outcome = try await run("config", "init")

        #expect(outcome.status == 0 && outcome.stdout == "\(file): written\n")
        #expect(try mode(file) == 0o600 && mode(folder.file("config/plugboard")) == 0o700)
        #expect(
            try await run("config", "check").stdout
                == "\(file): nothing is wrong; plugins: decode, redirect, cookies, retry\n")
    }

    @Test func `init replaces a file only with --force`() async throws {
        let own = try folder.write("own.json", "{}")

        let refused = try await run("config", "init", own)
        #expect(try String(contentsOfFile: own, encoding: .utf8) == "{}")
        let forced = try await run("config", "init", own, "--force")

        #expect(refused.status == 23 && refused.stderr.contains("\(own) exists already."))
        #expect(forced.status == 0)
        #expect(try String(contentsOfFile: own, encoding: .utf8).contains("\"redirect\""))
        #expect(try mode(own) == 0o600)
    }

    // MARK: edit

    @Test func `edit opens the editor with its options, and checks the file`() async throws {
        _ = try await run("config", "init")

        let outcome = try await run("config", "edit", editor: "sed -i -e s/limit/limt/")

        #expect(outcome.status == 1 && outcome.stdout.isEmpty)
        #expect(outcome.stderr.contains("settings.limt is not a known setting of redirect; did you mean limit?"))
    }

    @Test func `edit says that an editor has failed`() async throws {
        _ = try await run("config", "init")

        let outcome = try await run("config", "edit", editor: "false")

        #expect(outcome.status == 1 && outcome.stderr.contains("The editor false has failed."))
    }

    @Test(arguments: [["config", "edit"], ["config", "check"]])
    func `what needs a file says how to write one`(words: [String]) async throws {
        let outcome = try await Command.shell(
            "unset PLUGBOARD_CONFIG; \"$plugboard\" \(words.joined(separator: " "))",
            ["XDG_CONFIG_HOME": folder.path])

        #expect(outcome.status == 2)
        #expect(outcome.stderr.contains("\(folder.path)/plugboard/plugboard.json does not exist."))
        #expect(outcome.stderr.contains("plugboard config init writes it."))
    }

    // MARK: show

    @Test func `show says where each value comes from, and hides secrets`() async throws {
        let configuration = try folder.write(
            "plugboard.json",
            """
            {
              "kernel": { "headers": { "X-Api-Key": "hidden", "X-Shown": "yes" }, "proxy": "http://me:hidden@proxy:1" },
              "plugins": [ { "id": "redirect", "settings": { "limit": 7 } }, { "id": "retry", "enabled": false } ],
              "origins": {
                "https://a.example": { "authentication": { "token": "hidden" }, "redirect": { "limit": 3 } } } }
            """)

        let outcome = try await run(
            "config", "show", "--json", "--config", configuration, "--plugin", "decode", "--set", "decode.limit=1MiB",
            "--plugin", "authentication")

        var shown: [String: [String?]] = [:]
        for row in try JSONParser.parse(outcome.stdout).arrayValue ?? [] {
            shown[row["name"]?.stringValue ?? ""] = [row["value"]?.stringValue, row["source"]?.stringValue]
        }
        #expect(!outcome.stdout.contains("hidden"))
        #expect(shown["kernel.connectTimeout"] == ["30s", "default"])
        #expect(shown["kernel.loops"] == ["2", "environment: PLUGBOARD_LOOPS"])
        #expect(
            shown["kernel.headers"]
                == [#"{"X-Api-Key":"<redacted>","X-Shown":"yes"}"#, "\(configuration), line 2"])
        #expect(shown["kernel.proxy"] == ["http://proxy:1", "\(configuration), line 2"])
        #expect(shown["redirect"] == ["enabled", "\(configuration), line 3"])
        #expect(shown["redirect.limit"] == ["7", "\(configuration), line 3"])
        #expect(shown["redirect.keepMethod"] == ["false", "default"])
        #expect(shown["decode"] == ["enabled", "--plugin"])
        #expect(shown["decode.limit"] == ["1MiB", "--set"])
        #expect(shown["retry"] == ["disabled", "\(configuration), line 3: plugins[1].enabled"])
        #expect(shown["origins.https://a.example.redirect.limit"] == ["3", "\(configuration), line 5"])
        #expect(shown["origins.https://a.example.authentication.token"] == ["<redacted>", "\(configuration), line 5"])
    }

    @Test func `show names the file once, and how it was found`() async throws {
        _ = try await run("config", "init")

        let outcome = try await run("config", "show")

        let lines = outcome.stdout.split(separator: "\n")
        #expect(lines.first.map(String.init) == "\(file), named by PLUGBOARD_CONFIG")
        #expect(lines.contains { $0.wholeMatch(of: /redirect\.limit +line \d+ +10/) != nil }, "\(outcome.stdout)")
    }
}
