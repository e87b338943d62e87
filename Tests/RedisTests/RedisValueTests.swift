import PlugboardStore
import PlugboardTesting
import TestSupport
import Testing

@testable import PlugboardRedis

/// Keys and values on the server, and those that somebody else has written.
@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisValueTests {
    private let minute = Duration.seconds(60)

    @Test func `each key has the prefix, a tag in braces, and a time to live`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url, settings: ["prefix": "fleet-7/"])

        try await scene.put(["cache/1/aa/head": "x", "cache/1/aa/0": "17", "plain": ""])
        try await scene.perform(.add("limit/1/n", 5, timeToLive: minute))
        try await scene.perform(.takeLock("cache/1/aa/lock", timeToLive: minute))

        let names = try await server.command("KEYS", "*").split(separator: "\n").map(String.init)
        #expect(
            Set(names) == [
                "fleet-7/v{cache/1/aa}/head", "fleet-7/v{cache/1/aa}/0", "fleet-7/v{plain}", "fleet-7/v{limit/1/n}",
                "fleet-7/l{cache/1/aa}/lock", "fleet-7/t{cache/1/aa}/lock",
            ])
        for name in names {
            let time = try await server.command("PTTL", name)
            #expect(Int(time.dropLast()) ?? -1 > 0, "\(name)")
        }
        #expect(try await server.command("GET", "fleet-7/v{cache/1/aa}/0") == "17\n")
        #expect(try await server.command("GET", "fleet-7/v{cache/1/aa}/head") == "\u{1}x\n")
        await scene.kernel.shutDown()
    }

    @Test(arguments: ["\u{2}new", "", "text", "-", "1e5", "٣"])
    func `a value of another version is none, and is replaced`(value: String) async throws {
        let server = try await RedisProcess.shared.value
        let scene = try RedisScene(server.url)
        let key = "other/1/\(UInt64.random(in: 0 ... .max))"
        let name = "plugboard:v{\(key)}"

        try await server.command("SET", name, value)
        let read = try await scene.texts(key)
        try await scene.perform(.compareAndSet(StoreEntry(key, "mine"), expected: nil))
        let replaced = try await scene.texts(key)
        try await server.command("SET", name, value)
        let number = try await scene.perform(.add(key, 3, timeToLive: minute)).number

        #expect(read == [nil] && replaced == ["mine"] && number == 3)
        #expect(Int(try await server.command("PTTL", name).dropLast()) ?? -1 > 0)
        await scene.kernel.shutDown()
    }

    @Test func `a key of another type is none, and is replaced; a lock of another type is taken`() async throws {
        let server = try await RedisProcess.shared.value
        let scene = try RedisScene(server.url)
        let keys = (0..<4).map { "type/1/\($0)/\(UInt64.random(in: 0 ... .max))" }
        let names = keys.map { RedisNames(prefix: "plugboard:").value($0) }
        let lock = RedisNames(prefix: "plugboard:").lock(keys[0])
        for name in names + [lock] { try await server.command("RPUSH", name, "x") }

        let read = try await scene.perform(.get(keys)).values
        try await scene.put([keys[0]: "put"])
        try await scene.put([keys[1]: "put", "type/1/other": "put"])
        try await scene.perform(.compareAndSet(StoreEntry(keys[2], "set"), expected: nil))
        try await scene.perform(.add(keys[3], 1, timeToLive: minute))

        #expect(read == [nil, nil, nil, nil])
        #expect(try await scene.perform(.get(keys)).values.map { $0?.text } == ["put", "put", "set", "1"])
        #expect(await scene.failure(of: .takeLock(keys[0], timeToLive: minute))?.kind == .refused)
        #expect(await scene.failure(of: .renewLock(keys[0], token: 1, timeToLive: minute))?.kind == .refused)
        #expect(await scene.failure(of: .giveBackLock(keys[0], token: 1))?.kind == .refused)
        try await server.command("DEL", lock)
        await scene.kernel.shutDown()
    }

    @Test func `a lock's tokens rise also where the last one is forgotten, or is no number`() async throws {
        let server = try await RedisProcess()
        let scene = try RedisScene(server.url)
        var tokens: [Int64] = []
        for value in [nil, "text", "1e300", "inf", "9007199254740990"] {
            if let value {
                try await server.command("SET", "plugboard:t{l}", value)
            } else {
                try await server.command("FLUSHALL")
            }
            let token = try await scene.perform(.takeLock("l", timeToLive: minute)).number
            try await scene.perform(.giveBackLock("l", token: token))
            tokens.append(token)
        }

        #expect(tokens == tokens.sorted() && Set(tokens).count == tokens.count && tokens[0] > 0)
        await scene.kernel.shutDown()
    }

    @Test func `a change by another process, and a flush, are told`() async throws {
        let server = try await RedisProcess()
        let scenes = try (0..<2).map { _ in try RedisScene(server.url) }
        let (told, gate) = (Record(), Gate())
        let watch = scenes[0].store.watch {
            told.add($0 ?? "any")
            gate.admit()
        }
        try await scenes[0].perform(.get(["a", "b"], watch: watch))

        try await scenes[1].put(["a": "x"])
        try await gate.opened()
        try await server.command("FLUSHALL")
        try await gate.opened(for: 2)

        #expect(told.lines == ["a", "any"])
        for scene in scenes { await scene.kernel.shutDown() }
    }

    @Test func `a watch has a bounded number of keys, is told of each once, and of none after its end`() {
        let (first, second) = (StoreWatch(number: 1), StoreWatch(number: 2))
        var readers = KeyReaders()
        for watch in [first, second] { readers.add(watch, "a", "p:a") }

        let told = readers.take("p:a")
        let again = readers.take("p:a")
        for number in 0...KeyReaders.limit { readers.add(first, "\(number)", "p:\(number)") }
        let wasFull = readers.isFull
        readers.remove(first)

        #expect(told?.key == "a" && told?.watches == [first, second] && again == nil)
        #expect(wasFull && !readers.isFull && readers.take("p:7") == nil)
    }

    @Test(arguments: [
        ("17", "17"), ("-9223372036854775808", "-9223372036854775808"), ("007", "\u{1}007"), ("-0", "\u{1}-0"),
        ("+1", "\u{1}+1"), ("", "\u{1}"), ("9223372036854775808", "\u{1}9223372036854775808"), ("\u{1}", "\u{1}\u{1}"),
    ])
    func `a number is kept so that Redis can count it, and all else with its version`(value: String, stored: String) {
        let bytes = RedisNames.stored(Bytes(Array(value.utf8)))

        #expect(String(decoding: bytes, as: UTF8.self) == stored && RedisNames.value(bytes)?.text == value)
    }

    @Test(arguments: ["a", "a/1/b", "a/1/b/c", "a/1/b/c/d", "///", "a}b/{1}/c/d", "ü/1/ß/x"])
    func `keys that are equal up to their third slash share a tag`(key: String) throws {
        let name = RedisNames(prefix: "p:").value(key)
        let parts = key.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)

        #expect(name.hasPrefix("p:v{\(parts.prefix(3).joined(separator: "/"))}"))
        #expect(name.count == key.count + 5)
    }
}
