import AuthenticationOptions
import Foundation
import PlugboardKit
import TestSupport
import Testing

@testable import AuthenticationPlugin

struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("secret") }

    @Test(arguments: [("t\n", "t"), ("t\r\n\n", "t"), (" t ", " t "), ("a\nb\n", "a\nb"), ("", ""), ("\n", "")])
    func `newlines at its end are no part of the secret`(bytes: String, text: String) throws {
        let path = try folder.write("token", bytes)

        #expect(try SecretFile(path).text == text)
    }

    @Test func `a file is read again when it was changed, and not before`() throws {
        let path = try folder.write("token", "one")
        let first = try SecretFile(path)
        // The same inode, size and time: what tells a change says none, so the old text stands.
        let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        try overwrite(path, "two", date)
        let unchanged = try SecretFile(path, known: first)
        try overwrite(path, "six", date.addingTimeInterval(1))
        let changed = try SecretFile(path, known: unchanged)

        #expect(first.text == "one" && changed.text == "six")
    }

    @Test(arguments: ["missing", "folder", "pipe", "large", "binary"])
    func `what is no small text file is refused`(name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        mkfifo(folder.file("pipe"), 0o600)
        try folder.write("large", [UInt8](repeating: 0x61, count: SecretFile.limit + 1))
        try folder.write("binary", [0xFF, 0xFE] as [UInt8])

        let error = #expect(throws: PlugboardError.self) { try SecretFile(folder.file(name)) }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains(name) == true)
    }

    @Test func `another text takes the file's place whole, for its owner only, behind a link too`() throws {
        let path = try folder.write("kept/token", "old")
        let link = folder.file("link")
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)

        try SecretFile.replace(link, with: "new")

        #expect(try SecretFile(link).text == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == path)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.file("kept")) == ["token"])
    }

    @Test func `a file that is gone is not made`() throws {
        #expect(throws: PlugboardError.self) { try SecretFile.replace(folder.file("missing"), with: "new") }
        #expect(try folder.entries() == [])
    }

    private func overwrite(_ path: String, _ text: String, _ date: Date) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
}
