import Foundation
import PlugboardKit
import TestSupport
import Testing

@testable import PluginLoader

@Suite struct CandidateTests {
    @Test func `a file replaced between the check and the opening is not opened`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", try FixturePlugin.bytes(of: "tagger"))
        let candidate = try Candidate(path: path)
        let mark = folder.file("mark")
        let other = try FixturePlugin.build("metadata", define: ["MARK": mark])
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.copyItem(atPath: other, toPath: path)

        var noted: [String?] = []
        let error = #expect(throws: PlugboardError.self) { try candidate.open { noted.append($0) } }

        #expect(error?.code == .loadingChanged)
        #expect(noted.isEmpty)
        #expect(!FileManager.default.fileExists(atPath: mark))
    }

    @Test func `a file that is overwritten between the check and the opening is not opened`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.plugin("x.so", try FixturePlugin.bytes(of: "tagger"))
        let candidate = try Candidate(path: path)
        truncate(path, 100)

        var noted: [String?] = []
        let error = #expect(throws: PlugboardError.self) { try candidate.open { noted.append($0) } }

        #expect(error?.code == .loadingChanged)
        #expect(noted.isEmpty)
    }

    @Test func `a file larger than the limit is not read`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.so", "0123456789")

        let snapshot = try FileSnapshot(path: path, limit: 10)
        let error = #expect(throws: PlugboardError.self) { try FileSnapshot(path: path, limit: 9) }

        #expect(snapshot.bytes == Array("0123456789".utf8))
        #expect(error?.code == .loadingSize)
    }

    @Test func `a link is not followed when the file is read`() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("x.so", "x")
        try FileManager.default.createSymbolicLink(atPath: folder.file("link.so"), withDestinationPath: path)

        let error = #expect(throws: PlugboardError.self) { try FileSnapshot(path: folder.file("link.so")) }

        #expect(error?.code == .loadingMissing)
    }
}
