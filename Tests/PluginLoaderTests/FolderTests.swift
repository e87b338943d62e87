import Foundation
import Plugboard
import PluginLoader
import TestSupport
import Testing

/// `kernel.pluginFolders`: the only folders that plugins are loaded from.
@Suite struct FolderTests {
    /// `allowed/x.so` and `other/x.so`.
    private func folders(_ id: String) throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let path = try FixturePlugin.build("tagger", define: ["PLUGIN_ID": id])
        let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
        for name in ["allowed", "other"] { _ = try folder.plugin("\(name)/x.so", bytes) }
        return folder
    }

    private func refusal(_ path: String, _ folder: TemporaryFolder) throws -> PlugboardError {
        let loader = DynamicLoader(folders: [folder.file("allowed")])
        return try #require(throws: PlugboardError.self) { try loader.load(path, sha256: nil) }
    }

    @Test func `a file outside is refused, by whatever path, before any of its code runs`() throws {
        let folder = try folders("com.example.outside")
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file("allowed/link.so"), withDestinationPath: folder.file("other/x.so"))
        try files.createSymbolicLink(
            atPath: folder.file("allowed/sub"), withDestinationPath: folder.file("other"))
        _ = try folder.plugin("allowed-too/x.so", try folder.read("other/x.so"))

        let paths = ["other/x.so", "allowed/../other/x.so", "allowed/link.so", "allowed/sub/x.so", "allowed-too/x.so"]
        let errors =
            try paths.map { try refusal(folder.file($0), folder) }
            + ["link.so", "../other/x.so"].map {
                try refusal($0, folder)
            }

        for error in errors {
            #expect(error.code == .loadingFolder)
            #expect(error.reason.contains(folder.file("allowed")) && error.reason.contains("kernel.pluginFolders"))
        }
        #expect(throws: Never.self) {
            try DynamicLoader(folders: [folder.file("allowed")]).inspect(folder.file("other/x.so"))
        }
    }

    @Test func `a file inside is loaded, also through links from elsewhere and by a folder that is a link`() throws {
        let folder = try folders("com.example.inside")
        let files = FileManager.default
        try files.createSymbolicLink(
            atPath: folder.file("other/link.so"), withDestinationPath: folder.file("allowed/x.so"))
        try files.createSymbolicLink(atPath: folder.file("alias"), withDestinationPath: folder.file("allowed"))
        let loader = DynamicLoader(folders: [folder.file("none"), folder.file("alias")])

        let found = try ["allowed/x.so", "other/link.so", "alias/x.so"].map {
            try loader.load(folder.file($0), sha256: nil).raw
        }
        let byName = try loader.load("x.so", sha256: nil).raw

        #expect(found.allSatisfy { $0 == byName })
    }

    @Test func `a configuration names a file by its name, and it is looked for in the folders in order`() throws {
        let folder = try folders("com.example.named")
        let text = """
            { "kernel": { "pluginFolders": ["none", "allowed"] }, "plugins": [{ "path": "x.so" }] }
            """
        let named = try folder.write("named.json", text)
        let beside = try folder.write("beside.json", #"{ "plugins": [{ "path": "allowed/x.so" }] }"#)
        let outside = try folder.write("outside.json", text.replacing(#""x.so""#, with: #""other/x.so""#))
        let missing = try folder.write("missing.json", text.replacing("x.so", with: "y.so"))

        let ids = try [named, beside].map { path in
            try ResolvedPlugins(Configuration.file(path), catalog: Catalog([]), loader: .dynamic).plugins.map(\.id)
        }
        let errors = try [outside, missing].map { path in
            try #require(throws: PlugboardError.self) {
                try ResolvedPlugins(Configuration.file(path), catalog: Catalog([]), loader: .dynamic)
            }
        }

        #expect(ids == [["com.example.named"], ["com.example.named"]])
        #expect(errors[0].reason.contains("is outside the folders that plugins may be loaded from"))
        #expect(errors[1].reason.contains("none of \(folder.file("none"))/y.so, \(folder.file("allowed"))/y.so exists"))
    }
}
