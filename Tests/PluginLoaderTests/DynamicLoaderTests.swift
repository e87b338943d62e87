import Foundation
import Plugboard
import PlugboardKit
import PluginLoader
import Synchronization
import TestSupport
import Testing

@Suite struct DynamicLoaderTests {
    @Test func `a plugin in C loads and its descriptor is read`() throws {
        let path = try FixturePlugin.build(
            "tagger", define: ["PLUGIN_ID": "com.example.read"], options: ["-DPRIORITY=123"])

        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(descriptor.id == "com.example.read")
        #expect(descriptor.version == "1.0.0")
        #expect(descriptor.priority == 123)
        #expect(descriptor.hooks == [.request, .response])
    }

    @Test(arguments: [
        "create_fails", "does_nothing", "double_completion", "double_wake", "naked_verdict", "never_completes",
        "slow_wake",
        "start_fails", "tagger", "unknown_verdict",
    ])
    func `a plugin that misbehaves later still loads`(name: String) throws {
        let path = try FixturePlugin.build(name)

        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(descriptor.id == "com.example.\(name.replacing("_", with: "-"))")
    }

    @Test func `a file without metadata loads`() throws {
        let path = try FixturePlugin.build("metadata")

        let file = try DynamicLoader.dynamic.inspect(path)
        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(file.metadata == nil)
        #expect(descriptor.id == "com.example.metadata")
    }

    @Test(arguments: Catalog.bundled.ids)
    func `the metadata of a bundled plugin's file has the id and the version of the linked plugin`(id: String) throws {
        let file = try DynamicLoader.dynamic.inspect(try Products.library("plugboard-\(id)"))

        #expect(file.metadata?.id == id)
        #expect(file.metadata?.version == Catalog.bundled.descriptor(id)?.version)
    }

    @Test func `the same file gives the same descriptor, whatever the path to it`() throws {
        let path = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": "com.example.same"])
        let folder = try TemporaryFolder()
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.so"), withDestinationPath: path)
        let name = URL(fileURLWithPath: path).lastPathComponent
        let parent = URL(fileURLWithPath: path).deletingLastPathComponent().path

        let first = try DynamicLoader.dynamic.load(path, sha256: nil)
        let others = [
            try DynamicLoader.dynamic.load(path, sha256: nil),
            try DynamicLoader.dynamic.load(folder.file("link.so"), sha256: nil),
            try DynamicLoader.dynamic.load(
                "\(parent)/.//../\(URL(fileURLWithPath: parent).lastPathComponent)/\(name)", sha256: nil),
            try DynamicLoader(folders: [parent]).load(name, sha256: nil),
        ]

        for other in others { #expect(other.raw == first.raw) }
    }

    @Test func `many threads may load at once`() throws {
        let paths = try (0..<4).map {
            try FixturePlugin.build("does_nothing", define: ["PLUGIN_ID": "com.example.thread-\($0)"])
        }
        let loaded = Mutex<[String: Set<UnsafeRawPointer>]>([:])
        let failures = Mutex<[String]>([])

        DispatchQueue.concurrentPerform(iterations: 64) { turn in
            do {
                let descriptor = try DynamicLoader.dynamic.load(paths[turn % paths.count], sha256: nil)
                _ = loaded.withLock { $0[descriptor.id, default: []].insert(UnsafeRawPointer(descriptor.raw)) }
            } catch {
                failures.withLock { $0.append("\(error)") }
            }
        }

        #expect(failures.withLock { $0 } == [])
        let descriptors = loaded.withLock { $0 }
        #expect(descriptors.keys.sorted() == (0..<4).map { "com.example.thread-\($0)" })
        #expect(descriptors.values.allSatisfy { $0.count == 1 })
    }

    @Test func `inspecting reads what the file says and runs none of it`() throws {
        let folder = try TemporaryFolder()
        let mark = folder.file("mark")
        let path = try FixturePlugin.build(
            "metadata", define: ["MARK": mark, "METADATA": "plugboard/1 com.example.metadata 1.0.0"])

        let file = try DynamicLoader.dynamic.inspect(path)
        let ranWhenInspected = FileManager.default.fileExists(atPath: mark)
        _ = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(file.path == path)
        #expect(file.metadata == .init(revision: 1, id: "com.example.metadata", version: "1.0.0"))
        #expect(file.entry == "metadata_LTX_plugboard_plugin")
        #expect(file.sha256 == (try ProcessRunner.output(of: ["sha256sum", path]).prefix { $0 != " " }))
        #expect(!ranWhenInspected)
        #expect(FileManager.default.fileExists(atPath: mark), "loading runs the constructor that inspecting did not")
    }

    @Test func `the sha256 that is pinned loads, in either case`() throws {
        let path = try FixturePlugin.build("does_nothing")
        let sum = try ProcessRunner.output(of: ["sha256sum", path]).prefix { $0 != " " }

        let lower = try DynamicLoader.dynamic.load(path, sha256: String(sum))
        let upper = try DynamicLoader.dynamic.load(path, sha256: sum.uppercased())

        #expect(lower.raw == upper.raw)
    }

    @Test func `a libtool archive beside the file has no effect`() throws {
        let other = try FixturePlugin.build("does_nothing", define: ["PLUGIN_ID": "com.example.redirected"])
        let folder = try TemporaryFolder()
        let path = try folder.plugin("tagger.so", try FixturePlugin.bytes(of: "tagger"))
        let archive =
            "dlname='\(other)'\nlibrary_names='\(other)'\nlibdir='\(folder.path)'\ninstalled=yes\nshouldnotlink=yes\n"
        try folder.write("tagger.la", "# tagger.la - a libtool library file\n\(archive)")

        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)
        let direct = #expect(throws: PlugboardError.self) {
            try DynamicLoader.dynamic.load(folder.file("tagger.la"), sha256: nil)
        }

        #expect(descriptor.id == "com.example.tagger")
        #expect(direct?.code == .loadingArchive)
    }

    @Test func `the search paths of libltdl and of the system have no effect`() async throws {
        let path = try FixturePlugin.build("tagger")

        // In a process of its own, for the environment belongs to all threads.
        await #expect(processExitsWith: .success) { [path = path as String] in
            let url = URL(fileURLWithPath: path)
            for variable in ["LTDL_LIBRARY_PATH", "LD_LIBRARY_PATH"] {
                setenv(variable, url.deletingLastPathComponent().path, 1)
            }
            for loader in [DynamicLoader(), DynamicLoader(folders: []), DynamicLoader(folders: ["/usr"])] {
                let error = #expect(throws: PlugboardError.self) {
                    try loader.load(url.lastPathComponent, sha256: nil)
                }
                #expect(error?.code == .loadingMissing)
            }
            #expect(throws: Never.self) { try DynamicLoader().load(path, sha256: nil) }
        }
    }

    @Test func `a path with a slash is looked for in the folders, in their order`() throws {
        let folder = try TemporaryFolder()
        let bytes = try FixturePlugin.bytes(of: "tagger")
        _ = try folder.plugin("second/a/x.so", bytes)
        let first = try folder.plugin("first/a/x.so", bytes)
        let loader = DynamicLoader(folders: [folder.file("none"), folder.file("first"), folder.file("second")])

        let file = try loader.inspect("a/x.so")

        #expect(file.path == first)
    }

    @Test func `a file without a table of sections has no metadata, and its entry is found`() throws {
        let folder = try TemporaryFolder()
        var bytes = try FixturePlugin.bytes(of: "tagger")
        for field in [40..<48, 58..<64] { bytes.replaceSubrange(field, with: repeatElement(0, count: field.count)) }
        let path = try folder.plugin("stripped.so", bytes)

        let file = try DynamicLoader.dynamic.inspect(path)
        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(file.metadata == nil)
        #expect(file.entry == "tagger_LTX_plugboard_plugin")
        #expect(descriptor.id == "com.example.tagger")
    }

    @Test(arguments: ["sysv", "gnu", "both"])
    func `the entry is found through each kind of hash table`(style: String) throws {
        let path = try FixturePlugin.build("tagger", options: ["-Wl,--hash-style=\(style)"])

        let file = try DynamicLoader.dynamic.inspect(path)

        #expect(file.entry == "tagger_LTX_plugboard_plugin")
    }

    @Test func `metadata survives a linker that drops what nothing refers to`() throws {
        let path = try FixturePlugin.build("tagger", options: ["-Wl,--gc-sections"])

        let file = try DynamicLoader.dynamic.inspect(path)

        #expect(file.metadata?.id == "com.example.tagger")
    }
}
