import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct FoundConfigurationTests {
    private let folder: TemporaryFolder
    /// The user's own configuration, whether there is a file or not.
    private let file: String

    init() throws {
        folder = try TemporaryFolder()
        file = folder.file("config/plugboard/plugboard.json")
    }

    /// Runs a line of the shell, for a user with a configuration folder.
    private func shell(_ line: String, _ variables: [String: String] = [:]) async throws -> ProcessRunner.Outcome {
        let own = ["XDG_CONFIG_HOME": folder.file("config"), "folder": folder.path, "file": file]
        return try await Command.shell(
            "unset PLUGBOARD_CONFIG; cd \"$folder\"; \(line)", own.merging(variables) { _, new in new })
    }

    private func write(_ text: String, mode: Int = 0o600) throws {
        let parent = folder.file("config/plugboard")
        try FileManager.default.createDirectory(
            atPath: parent, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        #expect(FileManager.default.createFile(atPath: file, contents: Data(text.utf8)))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }

    // MARK: Which one

    @Test func `the user's own configuration is used where none is named`() async throws {
        try write(#"{"plugins": ["redirect"]}"#)

        let outcome = try await shell("\"$plugboard\" plugins order --json")

        let order = try JSONParser.parse(outcome.stdout)
        #expect(order["plugins"]?.arrayValue?.map { $0["id"] } == ["redirect"])
    }

    @Test func `without XDG_CONFIG_HOME it is in the folder .config of the user's home`() async throws {
        try write(#"{"plugins": ["redirect"]}"#)

        let outcome = try await shell(
            "unset XDG_CONFIG_HOME; mv config .config; HOME=$folder \"$plugboard\" config path")

        #expect(outcome.stdout == folder.file(".config/plugboard/plugboard.json") + "\n")
        #expect(outcome.stderr == "plugboard: It is found in the user's configuration folder.\n")
    }

    @Test func `the file of PLUGBOARD_CONFIG precedes the user's own, and --config precedes both`() async throws {
        try write(#"{"plugins": ["redirect"]}"#)
        try folder.write("work.json", #"{"plugins": ["retry"]}"#)
        try folder.write("named.json", #"{"plugins": ["decode"]}"#)

        let outcome = try await shell(
            """
            export PLUGBOARD_CONFIG=work.json
            "$plugboard" plugins order --json; "$plugboard" plugins order --json --config named.json
            """)

        let orders = try outcome.stdout.split(separator: "\n").map { try JSONParser.parse(String($0)) }
        #expect(orders.map { $0["plugins"]?.arrayValue?.first?["id"] } == ["retry", "decode"])
    }

    @Test(arguments: [
        "\"$plugboard\" plugins order --json --no-config", "PLUGBOARD_CONFIG= \"$plugboard\" plugins order --json",
    ])
    func `an empty PLUGBOARD_CONFIG and --no-config mean no configuration`(line: String) async throws {
        try write(#"{"plugins": ["redirect"]}"#)

        let outcome = try await shell(line)

        #expect(outcome.status == 0)
        #expect(try JSONParser.parse(outcome.stdout)["plugins"] == [])
    }

    @Test func `a file of the working folder is not used without being named`() async throws {
        try folder.write("plugboard.json", #"{"plugins": ["redirect"]}"#)

        let outcome = try await shell("\"$plugboard\" plugins order --json; \"$plugboard\" config path")

        #expect(outcome.stdout.hasPrefix(#"{"plugins":[],"#))
        #expect(outcome.stdout.hasSuffix(file + "\n"))
        #expect(outcome.stderr.contains("It does not exist, so no configuration is used."))
    }

    @Test(arguments: [
        "get \"$url\"", "explain \"$url\"", "exec", "call Topic", "plugins list", "cache stats",
    ])
    func `every verb uses the configuration that is found`(verb: String) async throws {
        try write(#"{"kernel": {"tiemout": "1s"}}"#)

        let outcome = try await shell("\"$plugboard\" \(verb) < /dev/null", ["url": "http://127.0.0.1:9/"])

        #expect(outcome.status == 100)
        #expect(outcome.stderr.hasPrefix("plugboard: \(file), line 1, column 13: kernel.tiemout"), "\(outcome.stderr)")
        #expect(
            outcome.stderr.hasSuffix(
                "This configuration was found in the user's configuration folder; --no-config uses none.\n"))
    }

    @Test(arguments: ["plugins order", "config path"])
    func `a file that PLUGBOARD_CONFIG names must exist`(verb: String) async throws {
        let outcome = try await shell("PLUGBOARD_CONFIG=absent.json \"$plugboard\" \(verb)")

        #expect(outcome.status == 100)
        #expect(
            outcome.stderr == "plugboard: The configuration absent.json, named by PLUGBOARD_CONFIG, does not exist. "
                + "Correct the variable, or set PLUGBOARD_CONFIG= to use none.\n")
    }

    // MARK: Trust

    @Test func `a found file that others can write to is refused`() async throws {
        try write(#"{"plugins": ["redirect"]}"#, mode: 0o602)

        let outcome = try await shell("\"$plugboard\" plugins order")

        #expect(outcome.status == 100)
        #expect(outcome.stderr.contains("can be written to by other users than its owner (mode 602)"))
        #expect(outcome.stderr.contains("chmod go-w \(file)") && outcome.stderr.split(separator: "\n").count == 1)
    }

    @Test func `a found file in a folder that others can write to is refused`() async throws {
        try write(#"{"plugins": ["redirect"]}"#)

        let outcome = try await shell("chmod 0777 config/plugboard; \"$plugboard\" plugins order")

        #expect(outcome.status == 100)
        #expect(outcome.stderr.contains("\(folder.file("config/plugboard")), on the path of the configuration \(file)"))
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
    func `a found file of another user is refused`() async throws {
        try write(#"{"plugins": ["redirect"]}"#)

        let outcome = try await shell("chown 12345 \"$file\"; \"$plugboard\" plugins order")

        #expect(outcome.status == 100)
        #expect(outcome.stderr.contains("belongs to user 12345"))
    }

    @Test func `a file that --config names may be writable by others`() async throws {
        try write(#"{"plugins": ["redirect"]}"#, mode: 0o666)

        let outcome = try await shell("\"$plugboard\" plugins order --config \"$file\"")

        #expect(outcome.status == 0)
    }
}
