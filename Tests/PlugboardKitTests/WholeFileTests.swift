import Foundation
import PlugboardKit
import TestSupport
import Testing

/// Files that plugins read and save whole, also where other users may write.
@Suite struct WholeFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func reason(_ path: String, limit: ByteCount = .kibibytes(1)) -> String? {
        let error = #expect(throws: PlugboardError.self) {
            try WholeFile.bytes(of: path, limit: limit, code: .configuration)
        }
        #expect(error?.code == .configuration)
        return error?.reason
    }

    private func mode(_ path: String) throws -> mode_t {
        var entry = stat()
        try #require(lstat(path, &entry) == 0)
        return entry.st_mode
    }

    @Test(arguments: [ByteCount.bytes(5), .unlimited])
    func `a file up to the limit is read`(limit: ByteCount) throws {
        let path = try folder.write("a", "hello")

        #expect(try WholeFile.bytes(of: path, limit: limit, code: .configuration) == Array("hello".utf8))
    }

    @Test func `a file that is not private can be read by all users`() throws {
        let path = folder.file("a")

        try WholeFile.save([1], to: path, code: .configuration, isPrivate: false)

        #expect(try mode(path) & 0o777 == 0o644)
    }

    @Test func `a larger file and a missing one are errors that name it`() throws {
        let path = try folder.write("a", [UInt8](repeating: 0, count: 1025))

        #expect(reason(path) == "The file \(path) is larger than 1KiB.")
        #expect(reason(folder.file("none")) == "The file \(folder.file("none")) does not exist.")
    }

    @Test func `a FIFO without a writer counts as empty`() throws {
        #expect(mkfifo(folder.file("pipe"), 0o600) == 0)

        #expect(try WholeFile.bytes(of: folder.file("pipe"), limit: .bytes(9), code: .configuration) == [])
    }

    @Test func `a saved file is whole, its owner's alone, and the only one in the folder`() throws {
        let path = try folder.write("a", "old and longer")
        chmod(path, 0o644)

        try WholeFile.save(Array("new".utf8), to: path, code: .configuration)

        #expect(try folder.read("a") == Array("new".utf8))
        #expect(try mode(path) & 0o777 == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
    }

    @Test func `a link of this user stays, and its target is replaced`() throws {
        try folder.write("target", "old")
        #expect(symlink(folder.file("target"), folder.file("link")) == 0)

        try WholeFile.save(Array("new".utf8), to: folder.file("link"), code: .configuration)

        #expect(try folder.read("target") == Array("new".utf8))
        #expect(try mode(folder.file("link")) & S_IFMT == S_IFLNK)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make files of other users"), arguments: ["link", "FIFO"])
    func `a link and a FIFO of another user are replaced and get nothing`(kind: String) throws {
        let path = folder.file("theirs")
        try folder.write("target", "old")
        #expect((kind == "link" ? symlink(folder.file("target"), path) : mkfifo(path, 0o666)) == 0)
        #expect(lchown(path, 65534, 65534) == 0)

        try WholeFile.save(Array("new".utf8), to: path, code: .configuration)

        #expect(try mode(path) & S_IFMT == S_IFREG)
        #expect(try folder.read("theirs") == Array("new".utf8))
        #expect(try folder.read("target") == Array("old".utf8))
    }

    @Test func `a folder that is no folder is an error with the system's reason`() throws {
        let path = try folder.write("a", "") + "/b"

        let error = #expect(throws: PlugboardError.self) {
            try WholeFile.save([], to: path, code: .configuration)
        }

        #expect(error?.reason == "The file \(path) cannot be written: Not a directory.")
    }
}
