import Foundation
import TestSupport
import Testing

/// Passwords and tokens in the list of processes.
struct SecretWordTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The words of the command's process while it waits for the response, after the program's name. `$url` is the
    /// server's.
    private func shown(_ line: String) async throws -> String {
        let file = folder.file("process")
        let server = try LoopbackServer.responding { _ in
            let process = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
            let path = "/proc/\(process.trimmingCharacters(in: .whitespacesAndNewlines))/cmdline"
            let words = (try? String(contentsOfFile: path, encoding: .utf8)) ?? "nothing"
            return ServerResponse(body: words.split(separator: "\0").dropFirst().joined(separator: " "))
        }
        let outcome = try await Command.shell(
            #"echo $$ > "$file"; exec "$plugboard" \#(line)"#,
            ["file": file, "url": server.url(), "http_proxy": "", "all_proxy": ""])
        #expect(outcome.status == 0, "\(outcome.stderr)")
        return outcome.stdout.replacingOccurrences(of: server.url(), with: "URL")
    }

    @Test(arguments: [
        ("get -u me:geheim \"$url\" -H 'X-A: b:c'", "get -u xxxxxxxxx URL -H X-A: b:c"),
        ("get -sSume:geheim \"$url\"", "get -sSuxxxxxxxxx URL"),
        ("get --user=me:geheim --pass p \"$url\" -U a:ä", "get --user=xxxxxxxxx --pass x URL -U xxxx"),
        ("get \"$url\" --oauth2-bearer token", "get URL --oauth2-bearer xxxxx"),
        (
            "post \"$url\" -d -u --next \"$url\" -I -o /dev/null -u a:b",
            "post URL -d -u --next URL -I -o /dev/null -u xxx"
        ),
        ("post \"$url\" -d --user -A --pass", "post URL -d --user -A --pass"),
        ("curl -su me:geheim --pass p \"$url\"", "curl -su xxxxxxxxx --pass x URL"),
        ("curl --oauth2 token \"$url\" -Ua:b --proxy-u c:d", "curl --oauth2 xxxxx URL -Uxxx --proxy-u xxx"),
    ])
    func `passwords and tokens are overwritten, and other words stay`(line: String, shown: String) async throws {
        #expect(try await self.shown(line) == shown)
    }

    @Test(arguments: [("get", "-E "), ("get", "--cert="), ("curl", "-sE"), ("curl", "--cert ")])
    func `of a certificate only the password is overwritten`(verb: String, option: String) async throws {
        let certificate = try CertificateAuthority.shared().client.certificate

        let shown = try await shown("\(verb) \(option)\(certificate):geheim \"$url\"")

        #expect(shown == "\(verb) \(option)\(certificate):xxxxxx URL")
    }
}
