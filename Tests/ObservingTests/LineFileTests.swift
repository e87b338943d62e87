import Foundation
import PlugboardObserving
import TestSupport
import Testing

struct LineFileTests {
    private let folder: TemporaryFolder
    private var path: String { folder.file("log") }

    init() throws { folder = try TemporaryFolder() }

    private func text(_ name: String) -> String? {
        (try? folder.read(name)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `only the owner of the file can read it`() throws {
        #expect(LineFile(path).append("a") == nil)

        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600 && text("log") == "a\n")
    }

    @Test func `a file that has its size is renamed, and as many old ones are kept as wanted`() {
        let file = LineFile(path, LineFile.Rotation(size: 3, age: nil, count: 2))

        for line in ["one", "two", "three", "four"] { #expect(file.append(line) == nil) }

        #expect(text("log") == "four\n" && text("log.1") == "three\n" && text("log.2") == "two\n")
        #expect(text("log.3") == nil)
    }

    @Test func `a file that was last changed before its age is renamed by a new process`() throws {
        #expect(LineFile(path).append("old") == nil)
        try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)

        #expect(LineFile(path, LineFile.Rotation(size: nil, age: .seconds(60), count: 1)).append("new") == nil)

        #expect(text("log") == "new\n" && text("log.1") == "old\n")
    }

    @Test func `a file that a tool renames meanwhile is made again`() throws {
        let file = LineFile(path, LineFile.Rotation(size: nil, age: nil, count: 1))
        #expect(file.append("before") == nil)

        try FileManager.default.moveItem(atPath: path, toPath: folder.file("moved"))
        #expect(file.append("after") == nil)

        #expect(text("moved") == "before\n" && text("log") == "after\n")
    }

    @Test func `several threads that rotate a file lose no line`() async throws {
        let file = LineFile(path, LineFile.Rotation(size: 100, age: nil, count: 1000))

        await withTaskGroup(of: Void.self) { group in
            for task in 0..<4 { group.addTask { for line in 0..<100 { _ = file.append("\(task) \(line)") } } }
        }

        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        let lines = names.flatMap { text($0)?.split(separator: "\n").map(String.init) ?? [] }
        #expect(Set(lines).count == 400 && lines.count == 400 && names.count > 4)
    }

    @Test func `a symbolic link is not followed`() throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: folder.file("other"))

        #expect(LineFile(path).append("a")?.contains("cannot be written") == true)
        #expect(text("other") == nil)
    }
}
