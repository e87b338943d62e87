import Foundation
import PlugboardSQLite
import TestSupport
import Testing

/// Files that others could change or read, and links to files of others.
@Suite struct PrivateFileTests {
    private func refusal(_ path: String) async -> SQLiteFailure? {
        let store = SQLiteStore.numbers(path)
        defer { store.close(within: .seconds(60)) }
        let failure = await #expect(throws: SQLiteFailure.self) { try await store.insert(1) }
        let checked = #expect(throws: SQLiteFailure.self) { try SQLiteStore.check(path, schema: .numbers()) }
        #expect(failure?.kind == .refused && checked == failure)
        return failure
    }

    private func made() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        let store = SQLiteStore.numbers(folder.file("numbers.sqlite"))
        try await store.insert(7)
        store.close(within: .seconds(60))
        return folder
    }

    @Test(arguments: ["-wal", "-shm", "-journal", "-reserve"])
    func `a link beside the file is refused, and not followed`(_ suffix: String) async throws {
        let folder = try await made()
        try folder.write("theirs", "precious")
        chmod(folder.file("theirs"), 0o644)
        let link = folder.file("numbers.sqlite\(suffix)")
        unlink(link)
        #expect(symlink(folder.file("theirs"), link) == 0)
        chmod(folder.file("numbers.sqlite"), 0o644)

        let failure = await refusal(folder.file("numbers.sqlite"))

        #expect(failure?.message.contains("\(link) is not a regular file") == true)
        let mode = try FileManager.default.attributesOfItem(atPath: folder.file("theirs"))[.posixPermissions] as? Int
        #expect(mode == 0o644)
        #expect(try folder.read("theirs") == Array("precious".utf8))
    }

    @Test(arguments: [mode_t(0o620), 0o602])
    func `a file that others may write is refused`(_ mode: mode_t) async throws {
        let folder = try await made()
        chmod(folder.file("numbers.sqlite"), mode)

        let failure = await refusal(folder.file("numbers.sqlite"))

        #expect(failure?.message.contains("chmod go-w \(folder.file("numbers.sqlite"))") == true)
    }

    @Test func `a folder that others may write is refused, a sticky one too`() async throws {
        let folder = try await made()
        chmod(folder.path, 0o777)
        let failure = await refusal(folder.file("numbers.sqlite"))
        #expect(failure?.message.contains("chmod go-w \(folder.path)") == true)

        chmod(folder.path, 0o1777)
        let sticky = await refusal(folder.file("numbers.sqlite"))
        #expect(sticky?.message.contains("Give a path in a folder of your own") == true)
    }

    @Test(.enabled(if: geteuid() == 0 && getegid() == 0, "only root can give folders to other groups"))
    func `a folder that a group may write is used if the group is this user's alone`() async throws {
        let folder = try await made()
        chmod(folder.path, 0o775)
        let store = SQLiteStore.numbers(folder.file("numbers.sqlite"))
        let values = try await store.values
        store.close(within: .seconds(60))

        chown(folder.path, 0, 4321)
        let failure = await refusal(folder.file("numbers.sqlite"))

        #expect(values == [7])
        #expect(failure?.message.contains("chmod go-w \(folder.path)") == true)
    }

    @Test func `a check changes nothing, where there is not a folder and where there is a database`() async throws {
        let folder = try await made()
        try folder.write("with % and #?/x.sqlite", try folder.read("numbers.sqlite"))
        let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()

        for name in ["new/folder/x.sqlite", "numbers.sqlite", "with % and #?/x.sqlite"] {
            try SQLiteStore.check(folder.file(name), schema: .numbers())
        }
        let other = #expect(throws: SQLiteFailure.self) {
            try SQLiteStore.check(folder.file("with % and #?/x.sqlite"), schema: .numbers(applicationID: 7))
        }

        #expect(other?.kind == .refused)
        #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted() == before)
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root can give files away"),
        arguments: ["", "numbers.sqlite", "numbers.sqlite-reserve"])
    func `what belongs to another user is refused`(_ name: String) async throws {
        let folder = try await made()
        let path = name.isEmpty ? folder.path : folder.file(name)
        chown(path, 4321, 4321)

        let failure = await refusal(folder.file("numbers.sqlite"))

        #expect(failure?.message.contains("\(path) belongs to user 4321") == true)
    }

    @Test func `a reserve of disk space stands beside the file, for its owner only`() async throws {
        let folder = try await made()

        let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("numbers.sqlite-reserve"))

        #expect(attributes[.posixPermissions] as? Int == 0o600)
        #expect(attributes[.size] as? Int == 256 << 10)
    }
}
