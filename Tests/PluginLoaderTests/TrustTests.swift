import Foundation
import PlugboardKit
import PlugboardSystem
import TestSupport
import Testing

@testable import PluginLoader

@Suite struct TrustTests {
    private func way(
        _ owner: uid_t, _ permissions: mode_t, _ kind: PathWalk.Step.Kind = .folder
    ) -> [PathWalk.Step] {
        [step("/", .folder, 0, 0o755), step("/x", kind, owner, permissions), step("/x/y.so", .file, 1000, 0o755)]
    }

    private func step(
        _ path: String, _ kind: PathWalk.Step.Kind, _ owner: uid_t, _ permissions: mode_t
    ) -> PathWalk.Step {
        let type: mode_t = kind == .folder ? S_IFDIR : kind == .link ? S_IFLNK : S_IFREG
        return .init(
            path: path, kind: kind, ownership: Ownership(owner: owner, group: 1000, mode: type | permissions))
    }

    @Test func `folders of root and of this user are trusted`() {
        let trust = Trust(user: 1000)

        #expect(throws: Never.self) { try trust.check(way(0, 0o755)) }
        #expect(throws: Never.self) { try trust.check(way(1000, 0o700)) }
        #expect(throws: Never.self) { try trust.check(way(0, 0o1777)) }
        #expect(throws: Never.self) { try trust.check(way(0, 0o777, .link)) }
    }

    @Test(arguments: [PathWalk.Step.Kind.folder, .link])
    func `folders and links of others are not`(kind: PathWalk.Step.Kind) throws {
        let error = try #require(throws: PlugboardError.self) { try Trust(user: 1000).check(way(1001, 0o755, kind)) }

        #expect(error.code == .loadingOwner)
        #expect(error.reason.contains("/x, on the path of the plugin /x/y.so, belongs to user 1001"))
    }

    @Test(arguments: [mode_t(0o775), 0o757, 0o777, 0o2775])
    func `folders that others may write are not`(permissions: mode_t) throws {
        let error = try #require(throws: PlugboardError.self) { try Trust(user: 1000).check(way(0, permissions)) }

        #expect(error.code == .loadingWritable)
        #expect(error.reason.contains("(mode \(String(permissions, radix: 8)))"))
    }

    @Test func `a sticky bit on a file makes it no safer`() {
        let steps = [step("/y.so", .file, 0, 0o1777)]

        #expect(throws: PlugboardError.self) { try Trust(user: 1000).check(steps) }
    }

    @Test func `a walk goes through every link and the folders that hold them`() throws {
        let folder = try TemporaryFolder()
        let real = try folder.write("real/deep/x.so", "x")
        let files = FileManager.default
        try files.createSymbolicLink(atPath: folder.file("real/up.so"), withDestinationPath: "deep/../deep/./x.so")
        try files.createSymbolicLink(atPath: folder.file("over"), withDestinationPath: folder.file("real"))

        let walk = try PathWalk(to: "\(folder.path)//over/./up.so")

        #expect(try walk.end == PathWalk(to: real).end)
        let names = walk.steps.suffix(5).map { $0.path.dropFirst(folder.path.count) }
        #expect(names == ["/real", "/real/up.so", "/real/deep", "/real/deep", "/real/deep/x.so"])
        // An absolute link begins at the root again.
        #expect(walk.steps.filter { $0.path == folder.path }.count == 2)
        #expect(walk.steps.first?.path == "/")
        #expect(walk.steps.first { $0.kind == .link }?.path == folder.file("over"))
    }
}
