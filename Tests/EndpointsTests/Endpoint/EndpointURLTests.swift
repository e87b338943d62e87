import Foundation
import TestSupport
import Testing

@testable import PlugboardEndpoints

@Suite struct EndpointURLTests {
    /// The rows of the table in the documentation of `EndpointURL`.
    static let rows: [[String]] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
            .appending(path: "Sources/PlugboardEndpoints/Endpoint/EndpointURL.swift")
        let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
        return lines.filter { $0.hasPrefix("/// | ") && !$0.hasPrefix("/// | base") }.map { line in
            line.dropFirst(5).dropLast().split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
    }()

    @Test(arguments: rows)
    func `each row of the table of slashes is true`(row: [String]) throws {
        let url = try EndpointURL.joined(row[0].isEmpty ? nil : row[0], row[1], row[2])

        #expect(String(decoding: url, as: UTF8.self) == row[3])
    }

    @Test func `the table has its rows`() {
        #expect(EndpointURLTests.rows.count == 18)
        #expect(EndpointURLTests.rows.allSatisfy { $0.count == 4 })
    }

    @Test(arguments: ["topics", "/topics", "//a.test/topics", "topics:9", "a/b://c", "?url=https://a.test", ""])
    func `a relative path without a base is an error`(path: String) {
        let error = #expect(throws: PlugboardError.self) { try EndpointURL.joined(nil, "", path) }

        #expect(error?.code == .requestURL)
        #expect(error?.reason.contains("there is no base") == true)
    }

    @Test func `the fragment of a base is dropped, and that of a path too`() throws {
        #expect(try EndpointURL.joined("https://a.test/api#top", "", "b#c?d") == Array("https://a.test/api/b".utf8))
    }
}
