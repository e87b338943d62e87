import Foundation
import PlugboardJSON
import TestSupport
import Testing

/// Types the commands of the authors' guide, in its order.
struct GuideTests {
    private let page: Document
    private let folder: TemporaryFolder
    private var project: String { folder.file("acme-sign") }

    init() throws {
        page = try Document(Pages.guide)
        folder = try TemporaryFolder("guide")
    }

    @Test func `from nothing to a plugin that is checked, by the page's commands`() async throws {
        let server = try LoopbackServer.responding { _ in ServerResponse(body: "hello\n") }
        defer { server.stop() }
        let commands = page.commands.filter { $0.hasPrefix("plugboard ") }

        var outputs: [String] = []
        for command in commands {
            outputs.append(try await run(command.replacing("https://example.com/", with: server.url())))
            guard command.hasPrefix("plugboard plugins new ") else { continue }
            for command in try projectCommands("`c`") { outputs.append(try await run(command)) }
        }

        try #require(commands.count == 7 && outputs.count == 9)
        #expect(outputs[0].contains("acme-sign/acme_sign.c\n"))
        #expect(outputs[2].contains("passed: the request got its field"))
        #expect(outputs[3].contains("com.acme.sign"))
        #expect(outputs[4].contains("\n./acme_sign.so: ") && !outputs[4].contains(" failed"))
        #expect(outputs[5].contains("com.acme.sign") && outputs[8].contains("com.acme.sign"))
        #expect(outputs[7].hasSuffix("\n2 passed, 0 failed\n"))
        #expect(outputs[6].contains("\(folder.path)/.local/include/plugboard.h\n"))
        let trace = try JSONParser.parse(folder.read("acme-sign/trace.json"))
        #expect(trace["traceEvents"]?.arrayValue?.isEmpty == false)
    }

    /// What the page's table says to type in a project of a language: building, testing.
    private func projectCommands(_ language: String) throws -> [String] {
        let row = try #require(page.lines.first { $0.hasPrefix("| \(language) ") })
        let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        return try cells[1...2].map { String(try #require($0.wholeMatch(of: /`(.+)`/)).1) }
    }

    /// Runs a line as an author's shell would, in the project's folder after that was made. It must succeed.
    private func run(_ line: String) async throws -> String {
        let place = FileManager.default.fileExists(atPath: project) ? project : folder.path
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let outcome = try await ProcessRunner.running(
            // For any umask: the loader refuses files that other users may write.
            ["/bin/sh", "-c", "umask 022; \(line)"],
            environment: ["PATH": "\(Products.folder):\(path)", "HOME": folder.path], folder: place)
        try #require(outcome.status == 0, "\(line): \(outcome.stdout)\(outcome.stderr)")
        return outcome.stdout
    }
}
