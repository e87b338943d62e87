import Foundation
import PlugboardAuthenticationOptions
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct SecretFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("secret") }

    @Test(arguments: [("t\n", "t"), ("t\r\n\n", "t"), (" t ", " t "), ("a\nb\n", "a\nb"), ("", ""), ("\n", "")])
    func `newlines at the end are not part of the secret`(bytes: String, text: String) throws {
        let path = try folder.write("token", bytes)

        #expect(try SecretFile(path).text == text)
    }

    @Test func `a file is read again only after it has changed`() throws {
        let path = try folder.write("token", "one")
        let first = try SecretFile(path)
        // The same inode, size and time, so the file counts as unchanged.
        let date = try #require(try FileManager.default.attributesOfItem(atPath: path)[.modificationDate] as? Date)
        try overwrite(path, "two", date)
        let unchanged = try SecretFile(path, known: first)
        try overwrite(path, "six", date.addingTimeInterval(1))
        let changed = try SecretFile(path, known: unchanged)

        #expect(first.text == "one" && changed.text == "six")
    }

    @Test(arguments: ["missing", "folder", "pipe", "large", "binary"])
    func `a file that is not a small text file is refused`(name: String) throws {
        try FileManager.default.createDirectory(atPath: folder.file("folder"), withIntermediateDirectories: false)
        mkfifo(folder.file("pipe"), 0o600)
        try folder.write("large", [UInt8](repeating: 0x61, count: SecretFile.limit + 1))
        try folder.write("binary", [0xFF, 0xFE] as [UInt8])

        let error = #expect(throws: PlugboardError.self) { try SecretFile(folder.file(name)) }

        #expect(error?.code == .authenticationRefresh)
        #expect(error?.reason.contains(name) == true)
    }

    private func overwrite(_ path: String, _ text: String, _ date: Date) throws {
        let file = try #require(FileHandle(forWritingAtPath: path))
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
        try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: path)
    }
}
