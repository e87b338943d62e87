import Foundation
import Plugboard
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardCore

/// Folders and files of a configuration.
extension `All errors of a configuration` {
    @Test func `a check leaves no file behind, where plugins are given paths`() throws {
        let folder = try TemporaryFolder("checked")
        defer { folder.remove() }
        let found = try errors(
            """
            { "plugins": [
                { "id": "cache", "settings": { "path": "\(folder.file("a/cache.sqlite"))" } },
                { "id": "cookies", "settings": { "path": "\(folder.file("b/cookies.sqlite"))" } } ] }
            """)

        #expect(found.isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).isEmpty)
    }

    @Test func `a data directory that a start refuses is an error of a check`() throws {
        let folder = try TemporaryFolder()
        try folder.write("data/a/keep", "x")
        chmod(folder.file("data/a"), 0o777)
        let (asking, other) = (ScriptedPlugin("a"), ScriptedPlugin("b"))
        asking.onCreate = { _ = $0.dataDirectory }
        var configuration = Configuration(plugins: ["b", "a"])
        configuration.kernel.dataDirectory = folder.file("data")

        let errors = configuration.errors(catalog: Catalog([asking.descriptor, other.descriptor]))

        #expect(errors.map(\.path) == ["plugins[1]"] && errors.first?.code == .pluginStart)
        #expect(errors.first?.reason.contains("chmod go-w \(folder.file("data/a"))") == true)
    }

    @Test(arguments: [false, true])
    func `a check leaves the folders that a configuration names unchanged`(_ isThere: Bool) throws {
        let folder = try TemporaryFolder()
        if isThere { try folder.write("data/note", "x") }
        var configuration = Configuration(plugins: [
            .init("cookies", settings: ["persistence": "file", "path": .string(folder.file("new/cookies.sqlite"))]),
            .init("cache", settings: ["persistence": "file"]),
        ])
        configuration.kernel.dataDirectory = folder.file("data")
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()

        let errors = configuration.errors()

        #expect(errors.isEmpty)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
    }

    @Test(arguments: ["cache", "cookies"])
    func `a file of another program in the data directory is an error of a check, as of a start`(id: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("data/\(id)/\(id).sqlite", "notes of another program")
        chmod(folder.file("data/\(id)"), 0o700)
        var configuration = Configuration(plugins: [.init(id, settings: ["persistence": "file"])])
        configuration.kernel.dataDirectory = folder.file("data")

        let errors = configuration.errors()
        let start = #expect(throws: PlugboardError.self) { try Kernel(configuration: configuration, log: .silent) }

        #expect(errors.map(\.path) == ["plugins[0].settings"] && errors.first?.code == .pluginStart)
        #expect(errors.first?.reason.contains("\(file) is not a database of this program") == true, "\(errors)")
        #expect(start?.reason.contains("\(file) is not a database of this program") == true)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "notes of another program")
    }

    @Test func `a relative path begins at the folder of the configuration's file, or else at the process's`() throws {
        let folder = try TemporaryFolder()
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onCreate = { host in record.add(host.configuredPath("b/c")) }
        let file = try Configuration.file(folder.write("plugboard.json", #"{"plugins": ["a"]}"#))
        let catalog = Catalog([plugin.descriptor])

        _ = file.errors(catalog: catalog)
        _ = try Kernel(configuration: file, catalog: catalog, transport: MockTransport(), log: .silent)
        _ = try Kernel(
            configuration: Configuration(plugins: ["a"]), catalog: catalog, transport: MockTransport(), log: .silent)

        let current = FileManager.default.currentDirectoryPath
        #expect(record.lines == [folder.file("b/c"), folder.file("b/c"), "\(current)/b/c"])
    }

    @Test func `a plugin that is checked learns where its data directory will be, and gets another`() throws {
        let folder = try TemporaryFolder()
        let record = Record()
        let plugin = ScriptedPlugin("a")
        plugin.onCreate = { host in record.add("\(host.dataPath ?? "") \(host.dataPath == host.dataDirectory)") }
        var configuration = Configuration(plugins: ["a"])
        configuration.kernel.dataDirectory = folder.file("data")
        let catalog = Catalog([plugin.descriptor])

        _ = configuration.errors(catalog: catalog)
        _ = try Kernel(configuration: configuration, catalog: catalog, transport: MockTransport(), log: .silent)

        let path = folder.file("data/a")
        #expect(record.lines == ["\(path) false", "\(path) true"])
    }
}
