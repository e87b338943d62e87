import Plugboard
import PlugboardRedis
import TestSupport
import Testing

/// The command `check`, by which `plugboard config check --connect` asks the server.
@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisCheckTests {
    private static let rights =
        "+hello +select +ping +subscribe +client|tracking +client|caching +script|load +evalsha +eval +mget +get +set "
        + "+exists +incrby +unlink +del +pexpire +time +info"

    private func check(
        _ url: String, _ linkage: Linkage = .linked
    ) async throws -> (engine: String, problems: [String], warnings: [String]) {
        let scene = try RedisScene(url, linkage)
        let reply = try await scene.kernel.json("redis", "check")
        await scene.kernel.shutDown()
        func texts(_ name: String) -> [String] { reply[name]?.arrayValue?.compactMap(\.stringValue) ?? [] }
        return (reply["engine"]?.stringValue ?? "", texts("problems"), texts("warnings"))
    }

    @Test(arguments: Linkage.allCases)
    func `nothing is wrong with a server that works, and the check leaves no keys`(linkage: Linkage) async throws {
        let server = try await RedisProcess()

        let result = try await check(server.url, linkage)

        #expect(result.engine.contains(#/^(Redis|Valkey) \d+\.\d+\.\d+ at unix:/#))
        #expect(result.problems == [] && result.warnings == [])
        // The last token of a lock lives on.
        #expect(try await server.command("KEYS", "plugboard:[vl]*").filter { !$0.isWhitespace } == "")
    }

    @Test func `a server that is not there, and a password that is refused, are said`() async throws {
        let server = try await RedisProcess("--requirepass", "right")

        let absent = try await check("unix:///nowhere/redis.sock")
        let refused = try await check("unix://:wrong@\(server.socket)")

        #expect(absent.problems.count == 1 && absent.problems.first?.contains("No such file") == true)
        #expect(refused.problems.count == 1 && refused.problems.first?.contains("WRONGPASS") == true)
        #expect(refused.problems.first?.contains("wrong@") == false)
    }

    @Test(arguments: [("", false), ("-mget", true), ("-set", true), ("-subscribe", true), ("-info", false)])
    func `rights that a user lacks are said`(change: String, isProblem: Bool) async throws {
        let server = try await RedisProcess()
        let user = ["ACL", "SETUSER", "few", "on", ">pw", "~plugboard:*", "&__redis__:invalidate"]
        try await server.command(
            user + Self.rights.split(separator: " ").map { "\($0)" } + change.split(separator: " ").map { "\($0)" })

        let result = try await check("unix://few:pw@\(server.socket)")

        #expect(result.problems.isEmpty == !isProblem, "\(result.problems)")
        #expect(result.problems.allSatisfy { $0.contains("README") }, "\(result.problems)")
        #expect(result.warnings.count == (change == "-info" ? 1 : 0))
    }

    @Test func `memory that is full is a problem, and a policy that removes keys early is a warning`() async throws {
        let server = try await RedisProcess()
        try await server.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru")
        #expect(try await check(server.url).warnings == [])

        try await server.command("CONFIG", "SET", "maxmemory", "100mb")
        let evicting = try await check(server.url)
        try await server.command("CONFIG", "SET", "maxmemory-policy", "noeviction")
        try await server.command("CONFIG", "SET", "maxmemory", "1kb")
        let full = try await check(server.url)

        #expect(evicting.problems == [] && evicting.warnings.first?.contains("allkeys-lru") == true)
        #expect(!full.problems.isEmpty && full.problems.allSatisfy { $0.contains("OOM") }, "\(full.problems)")
    }
}
