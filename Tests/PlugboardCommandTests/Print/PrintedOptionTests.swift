import Foundation
import TestSupport
import Testing

/// Options of plugins and of the connection as options of curl, and read again.
struct PrintedOptionTests {
    /// Words of a command line, and those that a line of curl has for them, in its order.
    private typealias Words = (given: [String], printed: [String])

    @Test func `a printed line has all options, and means the same when it is read again`() async throws {
        let seed =
            ProcessInfo.processInfo.environment["PLUGBOARD_SEED"].flatMap { UInt64($0) } ?? UInt64.random(in: 0...9999)
        print("seed of the printed options: \(seed)")
        var random = SeededRandom(seed: seed)
        let authority = try CertificateAuthority.shared()
        for _ in 0..<16 {
            let words = PrintedOptionTests.words(authority, &random)
            let request = ["get", "http://a.test/", "-A", "a"] + words.given

            let line = try await run(request + ["--print-curl", "--show-secrets"])
            let again = try await run(line.stdout, by: "get \"$@\" --print-curl --show-secrets")
            let definition = try await run(request + ["--print-definition", "It", "--show-secrets"])
            let other = try await run(line.stdout, by: "curl \"$@\" --print-definition It --show-secrets")

            let expected = (["curl", "-A", "a"] + words.printed + ["http://a.test/"]).map(PrintedOptionTests.quoted)
            #expect(line.stdout == expected.joined(separator: " ") + "\n", "seed \(seed): \(request)\n\(line.stderr)")
            #expect(again.stdout == line.stdout, "seed \(seed): \(request)\n\(again.stderr)")
            #expect(other.stdout == definition.stdout && definition.status == 0, "seed \(seed): \(line.stdout)")
            #expect(other.stderr == definition.stderr, "seed \(seed): \(line.stdout)")
        }
    }

    private static let environment = ["http_proxy": "127.0.0.1:9", "no_proxy": "", "CURL_CA_BUNDLE": ""]

    private func run(_ words: [String]) async throws -> ProcessRunner.Outcome {
        try await Command.running(words, environment: PrintedOptionTests.environment)
    }

    /// Runs a printed line, in which curl is the command with these words.
    private func run(_ line: String, by words: String) async throws -> ProcessRunner.Outcome {
        try await Command.shell("curl() { \"$plugboard\" \(words); }; \(line)", PrintedOptionTests.environment)
    }

    private static func quoted(_ word: String) -> String {
        let isPlain = word.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "@%+=:,./_-".contains($0)) }
        return isPlain ? word : "'\(word.replacing("'", with: "'\\''"))'"
    }

    /// The options of a random request.
    private static func words(_ authority: CertificateAuthority, _ random: inout SeededRandom) -> Words {
        var words: Words = ([], [])
        func same(_ texts: String...) -> Words { (texts, texts) }
        // Takes one of these, or none.
        func take(_ choices: Words...) {
            guard Int.random(in: 0..<3, using: &random) > 0, let choice = choices.randomElement(using: &random) else {
                return
            }
            words.given += choice.given
            words.printed += choice.printed
        }
        take(
            same("-L"), same("-L", "--max-redirs", "3"), (["-L", "--max-redirs", "50"], ["-L"]),
            same("--location-trusted", "--max-redirs", "0"),
            (["-L", "--max-redirs", "-1"], ["-L", "--max-redirs", "1000"]))
        take(
            same("--retry", "2"), same("--retry", "9", "--retry-delay", "2", "--retry-max-time", "90"),
            same("--retry", "1", "--retry-max-time", "5", "--retry-all-errors"),
            same("--retry", "1", "--retry-connrefused"),
            (["--retry", "1", "--retry-delay", "1500ms"], ["--retry", "1", "--retry-delay", "2"]))
        // For the proxy of -x, or that of the environment.
        take(same("-U", "me:p w'@"), same("-U", "me:"))
        take(same("-m", "2.5"), (["--max-time", "90s"], ["-m", "90"]), (["-m", "0"], []))
        take(same("--connect-timeout", "0.3"), same("--connect-timeout", "30"))
        take(
            (["-x", "p.test:1"], ["-x", "http://p.test:1"]), same("-x", "http://own:c@p.test"),
            (["--socks5", "p.test:1"], ["-x", "socks5://p.test:1"]), same("-x", "https://p.test:2"))
        take(same("--noproxy", "b.test,c.test"), same("--noproxy", "*"))
        take(
            (["--resolve", "a.test:80:127.0.0.1"], ["--connect-to", "a.test:80:127.0.0.1:80"]),
            same("--connect-to", "::b.test:81"), same("--connect-to", "a.test:::", "--connect-to", "a.test:80::8080"),
            (
                ["--connect-to", "a.test:80:b.test:81", "--resolve", "b.test:81:::1"],
                ["--connect-to", "a.test:80:[::1]:81", "--connect-to", "b.test:81:[::1]:81"]
            ))
        take(same("-k"))
        take(same("--cacert", authority.certificate))
        take(same("--tlsv1.2"), same("--tlsv1.3"))
        take(
            (["--cert", authority.client.certificate], ["-E", authority.client.certificate]),
            same("-E", authority.client.certificate, "--key", authority.client.key, "--pass", "p w"),
            (
                ["-E", "\(authority.client.certificate):a'b", "--key", authority.client.key],
                ["-E", authority.client.certificate, "--key", authority.client.key, "--pass", "a'b"]
            ))
        let pins = [authority.client.pin, authority.server.pin]
        take(same("--pinnedpubkey", pins[0]), same("--pinnedpubkey", pins.joined(separator: ";")))
        return words
    }
}
