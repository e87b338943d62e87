import Foundation
import PlugboardJSON
import TestSupport
import Testing

struct ManualTests {
    private static let man = ["/usr/bin/man"].first(where: FileManager.default.isExecutableFile)

    /// All pages, by the names of their files.
    private func pages() async throws -> [String: String] {
        let folder = try TemporaryFolder()
        let outcome = try await Command.run("manual", "--directory", folder.path)
        #expect(outcome.status == 0 && outcome.stderr.isEmpty && outcome.stdout.isEmpty, "\(outcome.stderr)")
        var pages: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            pages[name] = String(decoding: try folder.read(name), as: UTF8.self)
        }
        return pages
    }

    @Test(arguments: [
        ["get"], ["head"], ["post"], ["put"], ["patch"], ["delete"], ["request"], ["curl"], ["download"], ["upload"],
        ["call"], ["explain"], ["exec"], ["attach"], ["inspect"], ["validate"], ["manual"],
        ["config", "check"], ["config", "edit"], ["config", "init"], ["config", "path"], ["config", "show"],
        ["endpoints", "list"], ["endpoints", "show"], ["plugins", "check"], ["plugins", "inspect"],
        ["plugins", "list"], ["plugins", "new"], ["plugins", "order"], ["plugins", "sdk"], ["plugins", "test"],
        ["session", "list"], ["session", "remove"], ["session", "show"],
    ])
    func `a page has every option that help has`(verb: [String]) async throws {
        let page = try await Command.running(["manual"] + verb).stdout
        let help = try await Command.running(verb + ["--help"]).stdout
        let options = Set(help.matches(of: /[ ,](--[a-z0-9.-]*[a-z0-9])/).map { String($0.output.1) })

        #expect(options.count > 1)
        let missing = options.filter { !page.contains($0.replacingOccurrences(of: "-", with: "\\-")) }
        #expect(missing.isEmpty, "\(missing)")
    }

    @Test func `there is a page for the command and for each verb, and none for what help hides`() async throws {
        let names = try await Set(pages().keys)

        #expect(names.isSuperset(of: ["plugboard.1", "plugboard-get.1", "plugboard-plugins-check.1"]))
        #expect(!names.contains("plugboard-plugins-check-alone.1") && !names.contains("plugboard-help.1"))
    }

    @Test func `the page of the command has the exit statuses, and names the pages of the verbs`() async throws {
        let page = try #require(try await pages()["plugboard.1"])

        #expect(page.contains("\n.SH EXIT STATUS\n") && page.contains("28  a time limit was reached"))
        #expect(page.contains("\n\\fBplugboard\\-get\\fR(1)\n"))
    }

    @Test(.enabled(if: man != nil, "skipped: this machine has no man"))
    func `man shows every page without a warning`() async throws {
        for (name, page) in try await pages() {
            let outcome = try await ProcessRunner.running(
                [ManualTests.man ?? "", "--warnings", "-E", "UTF-8", "-l", "-"],
                environment: ["MANWIDTH": "80", "LC_ALL": "C.UTF-8"], input: Array(page.utf8))

            #expect(outcome.status == 0 && outcome.stderr.isEmpty, "\(name): \(outcome.stderr)")
            #expect(outcome.stdout.contains("SYNOPSIS"), "\(name)")
        }
    }

    @Test(arguments: [["manual", "nothing"], ["manual", "get", "--directory", "."]])
    func `words that are no verb are an error`(words: [String]) async throws {
        let outcome = try await Command.running(words)

        #expect(outcome.status == 2 && outcome.stdout.isEmpty && !outcome.stderr.isEmpty)
    }
}
