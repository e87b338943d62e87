import Foundation
import Plugboard
import PlugboardRedis
import PlugboardStore
import PlugboardTesting
import TestSupport
import Testing

struct RedisSettingsTests {
    @Test(arguments: [
        ("localhost:6379", "another scheme"), ("", "is no URL"), ("http://localhost", "another scheme"),
        ("redis://", "names no host"), ("redis://u:secret@host:0", "no port from 1"),
        ("redis://:secret@host:99999/0", "no port from 1"), ("redis://host/secret", "database"),
        ("redis://host/-1", "database"), ("redis://host?db=1", "has a query"),
        ("redis://%zz:secret@host", "two digits"),
        ("redis://u:sec%ret@host", "two digits"), ("redis://host/0#secret", "is no URL"),
        ("unix://", "absolute path"), ("unix://host/run/redis.sock", "absolute path"),
        ("unix:///run/redis.sock?password=secret", "other than db"), ("unix:///run/redis.sock?db=x", "database"),
        ("rediss://u:secret@host", "needs hiredis 1.0 or newer with hiredis_ssl"),
        ("unix:///\(String(repeating: "x", count: 107))", "107 bytes"),
    ])
    func `a wrong URL is refused at the start, and its password is not shown`(url: String, problem: String) throws {
        let error = #expect(throws: PlugboardError.self) { try RedisScene(url) }

        #expect(error?.reason.contains(problem) == true, "\(error?.reason ?? "")")
        #expect(error?.reason.contains("sec") == false, "\(error?.reason ?? "")")
    }

    @Test func `a password that is given twice, or cannot be read, is refused, and so is a prefix with braces`() throws
    {
        let cases: [(JSONObject, String)] = [
            (["passwordEnvironment": "PATH"], "given twice"), (["passwordFile": "/nowhere/secret"], "/nowhere/secret"),
            (["passwordEnvironment": "PLUGBOARD_TESTS_NONE"], "is not set"), (["prefix": "{a}"], "has a brace"),
        ]
        for (settings, problem) in cases {
            let url = problem == "given twice" ? "redis://:own@localhost" : "redis://localhost"
            let error = #expect(throws: PlugboardError.self) { try RedisScene(url, settings: settings) }

            #expect(error?.reason.contains(problem) == true, "\(error?.reason ?? "")")
        }
    }

    @Test func `the README lists each setting as the plugin does`() throws {
        #expect(try OptionTable.missing(from: "Redis", redisPlugin()) == [])
    }
}

@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisLoginTests {
    @Test func `a wrong password is down at once, and no password is shown`() async throws {
        let server = try await RedisProcess("--requirepass", "right")
        for (user, advice) in [(":wrong@", "WRONGPASS"), ("nobody:wrong@", "WRONGPASS"), ("", "NOAUTH")] {
            let scene = try RedisScene("unix://\(user)\(server.socket)")

            let failure = await scene.failure(of: .get(["a"]))

            #expect(failure?.kind == .down && failure?.reason.contains(advice) == true, "\(failure as Any)")
            #expect(!scene.log.lines.contains { $0.contains("wrong") })
            await scene.kernel.shutDown()
        }
    }

    @Test func `the password comes from the URL, an environment variable or a file, which may change`() async throws {
        let server = try await RedisProcess("--requirepass", "a b%/@:")
        let file = try server.folder.write("password", "a b%/@:\n")
        setenv("PLUGBOARD_TESTS_REDIS", "a b%/@:", 1)
        let scenes = [
            try RedisScene("unix://:a%20b%25%2F%40%3A@\(server.socket)"),
            try RedisScene(server.url, settings: ["passwordEnvironment": "PLUGBOARD_TESTS_REDIS"]),
            try RedisScene(server.url, settings: ["passwordFile": .string(file)]),
        ]

        for scene in scenes { try await scene.put(["a": "x"]) }
        try server.folder.write("password", "new\n")
        try await server.command(["-a", "a b%/@:", "CONFIG", "SET", "requirepass", "new"])
        try await server.command(["-a", "new", "CLIENT", "KILL", "TYPE", "normal"])
        try await scenes[2].works()

        for scene in scenes { await scene.kernel.shutDown() }
    }

    @Test func `a name of a host is resolved, and a database is chosen`() async throws {
        let port = try ClosedPort().port
        let server = try await RedisProcess("--port", "\(port)")
        let scene = try RedisScene("redis://localhost:\(port)/3")

        try await scene.put(["a": "x"])

        #expect(try await server.command("-n", "3", "DBSIZE").contains("1"))
        await scene.kernel.shutDown()
    }

    @Test func `each address of a name is tried before the first calls fail`() async throws {
        let port = try ClosedPort().port
        let server = try await RedisProcess("--port", "\(port)", "--bind", "127.0.0.1")
        let scene = try RedisScene("redis://localhost:\(port)")

        try await scene.put(["a": "x"])

        #expect(scene.kernel.metrics.first { $0.name == "redis.outages" }?.value ?? 0 == 0)
        #expect(try await server.command("DBSIZE").contains("1"))
        await scene.kernel.shutDown()
    }

    @Test func `a name without an address, and a port that is closed, are errors at once`() async throws {
        let closed = try ClosedPort().port
        for (url, problem) in [
            ("redis://none.invalid", "its name has no address"), ("redis://127.0.0.1:\(closed)", "Connection refused"),
        ] {
            let scene = try RedisScene(url)

            let failure = await scene.failure(of: .get(["a"]))

            #expect(failure?.kind == .down && failure?.reason.contains(problem) == true, "\(failure as Any)")
            await scene.kernel.shutDown()
        }
    }
}

/// What the README says of the rights of a user.
enum READMERights {
    static func words() throws -> [String] {
        let text = try String(contentsOf: readme, encoding: .utf8)
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("ACL SETUSER plugboard on") }) else {
            return []
        }
        return line.split(separator: " ").dropFirst(5).map { $0.trimmingCharacters(in: ["'"]) }
    }

    private static let readme = URL(fileURLWithPath: #filePath).appendingPathComponent(
        "../../../Plugins/Redis/README.md"
    )
    .standardizedFileURL
}
