import Foundation
import PlugboardKit
import PluginLoader
import TestSupport
import Testing

/// Files that other users may have written are refused, each with the path to correct.
@Suite struct OwnershipRefusalTests {
    private func refusal(_ path: String) throws -> PlugboardError {
        try #require(throws: PlugboardError.self) { try DynamicLoader.dynamic.load(path, sha256: nil) }
    }

    @Test(arguments: [mode_t(0o666), 0o664, 0o602])
    func `a file that others may write`(mode: mode_t) throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", try FixturePlugin.bytes(of: "tagger"))
        chmod(path, mode)

        let error = try refusal(path)

        #expect(error.code == .loadingWritable)
        #expect(error.reason.contains("chmod go-w \(path)"))
        #expect(throws: Never.self) { try DynamicLoader.dynamic.inspect(path) }
    }

    @Test func `a folder that others may write, unless it is sticky`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("open/inner/x.so", try FixturePlugin.bytes(of: "tagger"))
        chmod(folder.file("open"), 0o777)

        let error = try refusal(path)
        chmod(folder.file("open"), 0o1777)
        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(error.code == .loadingWritable)
        #expect(error.reason.contains("chmod go-w \(folder.file("open"))"))
        #expect(descriptor.id == "com.example.tagger")
    }

    @Test(.enabled(if: geteuid() == 0 && getegid() == 0, "only root can give folders to other groups"))
    func `a folder that a group may write, unless the group is this user's alone`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("shared/x.so", try FixturePlugin.bytes(of: "tagger"))
        chmod(folder.file("shared"), 0o775)

        chown(folder.file("shared"), 0, 4321)
        let error = try refusal(path)
        chown(folder.file("shared"), 0, 0)
        let descriptor = try DynamicLoader.dynamic.load(path, sha256: nil)

        #expect(error.code == .loadingWritable)
        #expect(descriptor.id == "com.example.tagger")
    }

    @Test func `a folder that others may write, with a link in it to a file that they may not`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("closed/x.so", try FixturePlugin.bytes(of: "tagger"))
        _ = try folder.write("open/other", "")
        try FileManager.default.createSymbolicLink(atPath: folder.file("open/x.so"), withDestinationPath: path)
        chmod(folder.file("open"), 0o777)

        let error = try refusal(folder.file("open/x.so"))

        #expect(error.code == .loadingWritable)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give files away"))
    func `a file of another user`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", try FixturePlugin.bytes(of: "tagger"))
        chown(path, 4321, 4321)

        let error = try refusal(path)

        #expect(error.code == .loadingOwner)
        #expect(error.reason.contains("belongs to user 4321"))
    }
}
