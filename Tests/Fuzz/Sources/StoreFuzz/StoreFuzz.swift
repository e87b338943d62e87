// Opens damaged files of cookies and of a cache, and checks what must hold whatever is in them: they are used, moved
// aside or refused, nothing that was not stored comes out, and nothing waits without end.
import Fuzzing
import Glibc
import PlugboardKit
import Synchronization

@testable import PlugboardCache
@testable import PlugboardCookies
@testable import PlugboardSQLite

/// The first byte says whose file it is, what of it is damaged, and whether its mark is there; the rest says how: the
/// second and third draw up to 31 changes, and those that follow are changes one by one.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    guard let form = bytes.first else { return 0 }
    let isCache = form & 1 != 0
    var files = isCache ? cacheFiles : cookieFiles
    // The mark makes a damaged file one of ours.
    if form & 2 != 0 { files["-reserve"] = nil }
    // A file whose log was written back, as after an orderly end, or one whose process was killed.
    let damaged = form & 4 == 0 ? "" : "-wal"
    if form & 8 == 0 {
        change(&files[damaged, default: []], drawn(bytes.dropFirst().prefix(2)) + bytes.dropFirst(3))
    } else {
        files[damaged] = Array(bytes.dropFirst())
    }
    let path = "\(folder)/damaged.sqlite"
    clean()
    for (suffix, bytes) in files { write(bytes, to: path + suffix) }

    let began = wallTime()
    if isCache { checkCache(path) } else { checkCookies(path, files[""] ?? []) }
    let seconds = (wallTime() - began) / 1_000_000_000
    precondition(seconds < 20, "it took \(seconds) seconds")
    return 0
}

/// Changes that are always the same for the same two bytes.
private func drawn(_ seed: ArraySlice<UInt8>) -> [UInt8] {
    guard let first = seed.first, let last = seed.last else { return [] }
    var state = UInt64(first) << 8 | UInt64(last)
    return (0..<5 * Int(first % 32)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: state >> 33)
    }
}

/// Each change is five bytes: where, what, and a number.
private func change(_ file: inout [UInt8], _ changes: [UInt8]) {
    var rest = changes[...]
    while rest.count >= 5, !file.isEmpty {
        let change = Array(rest.prefix(5))
        rest = rest.dropFirst(5)
        let index = (Int(change[0]) << 16 | Int(change[1]) << 8 | Int(change[2])) % file.count
        switch change[3] % 8 {
        case 0: file.removeSubrange(index...)
        case 1: for other in index..<min(index + 16, file.count) { file[other] = change[4] }
        case 2:
            let page = index / 4096 * 4096
            let other = Int(change[4]) * 4096 % file.count
            file.replaceSubrange(
                page..<min(page + 4096, file.count), with: Array(file[other..<min(other + 4096, file.count)]))
        case 3: file[index] &+= change[4]
        default: file[index] = change[4]
        }
    }
}

// MARK: - Cookies

private let cookie = "INSERT OR REPLACE INTO cookies VALUES ('', 'a.example', 1, x'2f', ?, x'76', 1, 1, 1, 'Lax', 1, 1)"

private func checkCookies(_ path: String, _ bytes: [UInt8]) {
    let isRefused = refused { () throws(SQLiteFailure) in try SQLiteStore.check(path, schema: CookieFile.schema) }
    if isRefused { precondition(contents(of: path) == bytes, "a file that is refused was changed") }
    let store = SQLiteStore(.file(path), schema: CookieFile.schema) { precondition(!$0.isEmpty) }
    defer { precondition(store.close(within: .seconds(20)), "the store does not end") }
    _ = attempt(store, CookieFile.read)
    var found: [String: [Cookie]]?
    // Damage may show in several works, each of which moves a file aside.
    for _ in 0..<4 where found == nil {
        _ = attempt(store) { (connection) throws(SQLiteFailure) in
            try connection.run(cookie, .bytes(Array("new".utf8)))
        }
        found = attempt(store, CookieFile.read)
    }
    if found == nil {
        precondition(refused { () throws(SQLiteFailure) in _ = try store.performAndWait(CookieFile.read) })
    } else {
        precondition(found?[""]?.contains { $0.id.name == Array("new".utf8) } == true, "a cookie is lost")
    }
}

private func attempt<Value: Sendable>(
    _ store: SQLiteStore, _ work: @escaping @Sendable (SQLiteStore.Connection) throws(SQLiteFailure) -> Value
) -> Value? {
    do {
        return try store.performAndWait(work)
    } catch {
        precondition([.damaged, .refused].contains(error.kind) && !error.message.isEmpty, "\(error)")
        return nil
    }
}

private func refused(_ work: () throws(SQLiteFailure) -> Void) -> Bool {
    do {
        try work()
        return false
    } catch {
        precondition(error.kind == .refused && !error.message.isEmpty, "\(error)")
        return true
    }
}

/// The files of a store of cookies whose process was killed.
private let cookieFiles: [String: [UInt8]] = {
    clean()
    let path = "\(folder)/good.sqlite"
    let store = SQLiteStore(.file(path), schema: CookieFile.schema) { preconditionFailure($0) }
    for number in 0..<100 {
        _ = attempt(store) { (connection) throws(SQLiteFailure) in
            try connection.run(cookie, .bytes(Array("\(number)".utf8)))
            if number == 50 { try connection.script("PRAGMA wal_checkpoint(TRUNCATE)") }
        }
    }
    defer { store.close(within: .seconds(20)) }
    return copies(path)
}()

// MARK: - A cache

private func checkCache(_ path: String) {
    let store = SQLiteCacheStore(path: path, bytes: 64 << 20) { precondition(!$0.isEmpty) }
    defer { store.close(within: .seconds(20)) }
    for number in 0..<6 {
        for entry in found(number, store) where read(entry, store).map({ $0 != body(number) }) ?? false {
            preconditionFailure("a body that was not stored")
        }
    }
    _ = waiting { store.purge(.all, $0) } as Int
    var entry: CacheEntry?
    for _ in 0..<4 where entry == nil {
        keep(6, store)
        entry = found(6, store).first
    }
    // Another program's file is left alone, and nothing is stored.
    if let entry {
        precondition(read(entry, store) == body(6), "a new entry cannot be read")
    } else {
        precondition(refused { () throws(SQLiteFailure) in try SQLiteStore.check(path, schema: CacheSchema.schema) })
    }
}

/// One body in its row, one in a chunk, others in many.
private func body(_ number: Int) -> [UInt8] {
    (0..<(number * number * 2000)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ number &+ $0 >> 8) }
}

private func keep(_ number: Int, _ store: SQLiteCacheStore) {
    guard let writer = store.write(length: nil) else { preconditionFailure("nothing is kept") }
    guard body(number).withUnsafeBytes({ writer.append($0) }) else { return writer.discard() }
    let stored = StoredResponse(
        key: CacheKey(text: "\(number)"), url: "https://a.example/\(number)", status: 200, fields: ["a": "b"],
        requested: .seconds(1), received: .seconds(2))
    _ = waiting { writer.commit(StoredHead(stored), replacing: [], $0) } as CacheEntry?
}

private func found(_ number: Int, _ store: SQLiteCacheStore) -> [CacheEntry] {
    waiting { store.entries(CacheKey(text: "\(number)"), $0) }
}

/// Nil for a body that breaks.
private func read(_ entry: CacheEntry, _ store: SQLiteCacheStore) -> [UInt8]? {
    let source = store.body(of: entry, 0..<entry.length)
    defer { source.release() }
    var bytes: [UInt8] = []
    while true {
        switch waiting({ source.pull(Pull(Asker($0))) }) as Piece {
        case .bytes(let piece): piece.withUnsafeBytes { bytes += $0 }
        case .end: return bytes
        case .broken(let error):
            precondition(error.code.kind == "cache", "\(error)")
            return nil
        }
    }
}

private final class Asker: PullReceiver {
    private let completed: @Sendable (Piece) -> Void
    init(_ completed: @escaping @Sendable (Piece) -> Void) { self.completed = completed }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        completed(piece)
        return true
    }
}

private func waiting<Value: Sendable>(_ ask: (@escaping @Sendable (Value) -> Void) -> Void) -> Value {
    let outcome = Outcome<Value>()
    ask { outcome.set(.success($0)) }
    guard case .success(let value) = outcome.wait() else { preconditionFailure("it was not told") }
    return value
}

private let cacheFiles: [String: [UInt8]] = {
    clean()
    let path = "\(folder)/good.sqlite"
    let store = SQLiteCacheStore(path: path, bytes: 64 << 20) { preconditionFailure($0) }
    for number in 0..<6 { keep(number, store) }
    defer { store.close(within: .seconds(20)) }
    return copies(path)
}()

// MARK: - Files

/// In memory where there is a file system for that.
private let folder: String = {
    var name = Array((access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp").utf8CString.dropLast())
    name += "/store-fuzz.XXXXXX".utf8CString
    guard mkdtemp(&name) != nil else { preconditionFailure("no folder can be made") }
    let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    atexit {
        clean()
        rmdir(folder)
    }
    return path
}()

private func clean() {
    guard let list = opendir(folder) else { return }
    defer { closedir(list) }
    while let entry = readdir(list) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) {
            String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
        }
        if !name.hasPrefix(".") || name.count > 2 { unlink("\(folder)/\(name)") }
    }
}

private func copies(_ path: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for suffix in ["", "-wal", "-reserve"] { files[suffix] = contents(of: path + suffix) }
    return files
}

private func contents(of path: String) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while case let count = fread(&piece, 1, piece.count, file), count > 0 { bytes += piece[..<count] }
    return bytes
}

private func write(_ bytes: [UInt8], to path: String) {
    guard let file = fopen(path, "w") else { preconditionFailure("\(path) cannot be written") }
    fwrite(bytes, 1, bytes.count, file)
    fclose(file)
}

private func wallTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
