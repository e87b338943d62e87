import Foundation
import PlugboardKit
import PluginLoader
import TestSupport
import Testing

/// Each refusal has its own code, and a sentence that says what, where and what to do.
@Suite struct RefusalTests {
    private func refusal(_ path: String, sha256: String? = nil) throws -> PlugboardError {
        try #require(throws: PlugboardError.self) { try DynamicLoader.dynamic.load(path, sha256: sha256) }
    }

    private func metadata(_ text: String, mark: String? = nil) throws -> String {
        var macros = ["METADATA": text]
        macros["MARK"] = mark
        return try FixturePlugin.build("metadata", define: macros)
    }

    // MARK: The path

    @Test func `a path where nothing is`() throws {
        let folder = try TemporaryFolder()

        let error = try refusal(folder.file("none/x.so"))

        #expect(error.code == .loadingMissing)
        #expect(error.reason.contains("because \(folder.file("none")) does not exist."))
    }

    @Test func `a path that leads to a folder, a pipe or in a circle`() throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.file("loop.so"), withDestinationPath: "loop.so")
        mkfifo(folder.file("pipe.so"), 0o600)

        let errors = try [folder.path, folder.file("pipe.so"), folder.file("loop.so")].map { try refusal($0) }

        #expect(errors.map(\.code) == [.loadingMissing, .loadingMissing, .loadingMissing])
        #expect(errors[0].reason.contains("not a regular file"))
        #expect(errors[1].reason.contains("not a regular file"))
        #expect(errors[2].reason.contains("a loop"))
    }

    @Test(arguments: ["", "x.so", "\0/x.so", "/tmp/x\0.so"])
    func `a path that cannot be one, or a bare name`(path: String) throws {
        let error = try refusal(path)

        #expect(error.code == .loadingMissing)
        #expect(error.reason.contains("absolute path") || error.reason.contains("Name its file"))
    }

    @Test func `a bare name that is not in the folders`() throws {
        let folder = try TemporaryFolder()
        let loader = DynamicLoader(folders: [folder.path])

        let error = try #require(throws: PlugboardError.self) { try loader.load("libc.so.6", sha256: nil) }

        #expect(error.code == .loadingMissing)
        #expect(error.reason.contains(folder.file("libc.so.6")))
    }

    // MARK: The file

    @Test func `a file that is not ELF`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", Array("#!/bin/sh\n".utf8))

        let error = try refusal(path)

        #expect(error.code == .loadingNotELF)
        #expect(error.reason.contains(path))
    }

    @Test(arguments: [4, 20, 63, 64, 300, 4096, -1])
    func `a file that is cut short`(length: Int) throws {
        let folder = try TemporaryFolder()
        let bytes = try FixturePlugin.bytes(of: "tagger")
        let path = try folder.plugin("x.so", Array(length < 0 ? bytes.dropLast(-length) : bytes.prefix(length)))

        let error = try refusal(path)

        #expect(error.code == .loadingTruncated)
        #expect(error.reason.contains("beyond the end of the file"))
    }

    @Test(arguments: [
        (18, 8, "MIPS (64 bits, little-endian)"), (4, 1, "(32 bits, little-endian)"), (5, 2, "big-endian"),
    ])
    func `a file for another machine`(offset: Int, value: UInt8, name: String) throws {
        let folder = try TemporaryFolder()
        var bytes = try FixturePlugin.bytes(of: "tagger")
        bytes[offset] = value
        let path = try folder.plugin("x.so", bytes)

        let error = try refusal(path)

        #expect(error.code == .loadingArchitecture)
        #expect(error.reason.contains(name))
        #expect(error.reason.contains("this program for"))
    }

    @Test func `an ELF file that is not a shared object`() throws {
        let path = try FixturePlugin.build("no_entry", options: ["-c"])

        let error = try refusal(path)

        #expect(error.code == .loadingNotShared)
        #expect(error.reason.contains("-shared"))
    }

    @Test func `a shared object without an entry`() throws {
        let path = try FixturePlugin.build("no_entry")

        let error = try refusal(path)

        #expect(error.code == .loadingNoEntry)
        #expect(error.reason.contains("PLUGBOARD_PLUGIN"))
    }

    @Test func `a shared object with two entries`() throws {
        let path = try FixturePlugin.build("two_entries")

        let error = try refusal(path)

        #expect(error.code == .loadingEntries)
        #expect(error.reason.contains("first_LTX_plugboard_plugin, second_LTX_plugboard_plugin"))
    }

    @Test func `a shared object with ten thousands of entries, in a short sentence`() throws {
        let folder = try TemporaryFolder()
        let names = (0..<40_000).map { "e\($0)_LTX_plugboard_plugin" }
        let lines = names.map { ".globl \($0)\n.type \($0), @function\n.set \($0), first" }
        try folder.write("many.s", ".text\nfirst: ret\n" + lines.joined(separator: "\n") + "\n")
        let path = folder.file("many.so")
        try ProcessRunner.output(of: ["cc", "-shared", "-nostdlib", folder.file("many.s"), "-o", path])
        chmod(path, 0o755)

        let error = try refusal(path)

        #expect(error.code == .loadingEntries)
        #expect(error.reason.contains("several plugins (1000 or more)"))
        #expect(error.reason.utf8.count < 400 + path.utf8.count)
    }

    @Test func `a file that was replaced since it was loaded`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", try FixturePlugin.bytes(of: "tagger"))
        let loaded = try DynamicLoader.dynamic.load(path, sha256: nil)
        try FileManager.default.moveItem(atPath: path, toPath: folder.file("old.so"))
        _ = try folder.plugin("x.so", try FixturePlugin.bytes(of: "does_nothing"))

        let error = try refusal(path)

        #expect(loaded.id == "com.example.tagger")
        #expect(error.code == .loadingChanged)
        #expect(error.reason.contains("restart the program"))
    }

    @Test func `a file that was replaced since it was refused, for the code that was refused is still there`() throws {
        let folder = try TemporaryFolder()
        let wrong = try metadata("plugboard/1 com.example.wrong 1.0.0")
        let path = try folder.plugin("x.so", [UInt8](try Data(contentsOf: URL(fileURLWithPath: wrong))))
        let before = try refusal(path)
        let again = try refusal(path)
        try FileManager.default.removeItem(atPath: path)
        _ = try folder.plugin("x.so", try FixturePlugin.bytes(of: "metadata"))

        let after = try refusal(path)

        #expect([before, again, after].map(\.code) == [.loadingMetadata, .loadingMetadata, .loadingChanged])
    }

    // MARK: Metadata, revision and pin

    @Test func `another revision in the metadata, before anything runs`() throws {
        let folder = try TemporaryFolder()
        let path = try metadata("plugboard/7 com.example.metadata 1.0.0 more", mark: folder.file("mark"))

        let error = try refusal(path)

        #expect(error.code == .loadingRevision)
        #expect(error.reason.contains("com.example.metadata at \(path) uses revision 7"))
        #expect(try folder.entries() == [])
        #expect(try DynamicLoader.dynamic.inspect(path).metadata?.revision == 7)
    }

    @Test func `another revision in metadata and descriptor, and in the descriptor alone`() throws {
        let both = try FixturePlugin.build("old_revision", define: ["METADATA_REVISION": "0"])
        let descriptor = try FixturePlugin.build("old_revision")

        let errors = try [both, descriptor].map { try refusal($0) }

        #expect(errors.map(\.code) == [.loadingRevision, .loadingRevision])
        #expect(errors[0].reason.contains("com.example.old-revision at \(both) uses revision 0"))
        #expect(errors[1].reason.contains("It was loaded from \(descriptor)."))
    }

    @Test(arguments: ["plugboard/1 com.example.other 1.0.0", "plugboard/1 com.example.metadata 1.0.1"])
    func `metadata that disagrees with the descriptor`(text: String) throws {
        let path = try metadata(text)

        let error = try refusal(path)

        #expect(error.code == .loadingMetadata)
        #expect(error.reason.contains("'\(text.dropFirst(12))' in its section"))
        #expect(error.reason.contains("'com.example.metadata 1.0.0' in its descriptor"))
    }

    @Test(arguments: [
        "", "plugboard", "plugboard/ a 1", "plugboard/x a 1", "plugboard/-1 a 1", "plugboard/4294967296 a 1",
        "plugboard/1", "plugboard/1 a", "plugboard/1 a ", "plugboard/1  1", "plugboard/1 a 1 x", "Plugboard/1 a 1",
        "plugboard/1 a\\t 1",
        "plugboard/1 a 1\\n", "plugboard/1 ä 1", "plugboard/1 a\\0 1",
    ])
    func `metadata that cannot be read, before anything runs`(text: String) throws {
        let folder = try TemporaryFolder()
        let path = try metadata(text, mark: folder.file("mark"))

        let error = try refusal(path)

        #expect(error.code == .loadingMetadata)
        #expect(error.reason.contains("PLUGBOARD_METADATA"))
        #expect(try folder.entries() == [])
    }

    @Test(arguments: [String(repeating: "0", count: 64), "abc", "", String(repeating: "x", count: 64)])
    func `another sha256 than the one pinned, before anything runs`(pin: String) throws {
        let folder = try TemporaryFolder()
        let path = try FixturePlugin.build("metadata", define: ["MARK": folder.file("mark")])

        let error = try refusal(path, sha256: pin)

        #expect(error.code == .loadingHash)
        #expect(error.reason.contains(path))
        #expect(try folder.entries() == [])
    }

    @Test func `a pin that fails after the file was loaded without one`() throws {
        let path = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "com.example.pinned-later"])
        _ = try DynamicLoader.dynamic.load(path, sha256: nil)

        let error = try refusal(path, sha256: String(repeating: "0", count: 64))

        #expect(error.code == .loadingHash)
    }

    // MARK: Opening

    @Test func `a function that no library provides`() throws {
        let path = try FixturePlugin.build("undefined_symbol")

        let error = try refusal(path)

        #expect(error.code == .loadingSymbols)
        #expect(error.reason.contains(path))
        #expect(error.underlying?.contains("undefined_decision") == true)
    }

    @Test func `a library that is not there`() throws {
        let folder = try TemporaryFolder()
        let library = try FixturePlugin.build("no_entry", options: ["-Wl,-soname,libnowhere.so.9"])
        let path = try FixturePlugin.build("tagger", options: ["-Wl,--no-as-needed", library])
        let copy = try folder.plugin("x.so", [UInt8](try Data(contentsOf: URL(fileURLWithPath: path))))

        let error = try refusal(copy)

        #expect(error.code == .loadingOpen)
        #expect(error.underlying?.contains("libnowhere.so.9") == true)
    }
}
