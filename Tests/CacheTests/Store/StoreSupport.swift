import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCache

/// The stores that must behave alike.
enum StoreKind: String, CaseIterable, Sendable, CustomTestStringConvertible {
    case memory, file, tiered

    var testDescription: String { rawValue }

    /// An empty store; its file is `cache.sqlite` in the folder.
    func make(_ folder: TemporaryFolder, bytes: Int = 64 << 20, notices: Record = Record()) -> any CacheStore {
        switch self {
        case .memory: TieredStore(path: nil, memory: bytes, disk: 0, entries: 100_000) { _ in }
        case .file: SQLiteCacheStore.make(folder, bytes: bytes, notices: notices)
        case .tiered: TieredStore.make(folder, memory: 1 << 20, disk: bytes, notices: notices)
        }
    }
}

extension SQLiteCacheStore {
    static func make(
        _ folder: TemporaryFolder, bytes: Int = 64 << 20, staleness: Duration = .seconds(3600),
        notices: Record = Record()
    ) -> SQLiteCacheStore {
        SQLiteCacheStore(path: folder.file("cache.sqlite"), bytes: bytes, staleness: staleness) { notices.add($0) }
    }
}

extension TieredStore {
    static func make(
        _ folder: TemporaryFolder, memory: Int = 1 << 20, disk: Int = 64 << 20, staleness: Duration = .seconds(3600),
        notices: Record = Record()
    ) -> TieredStore {
        TieredStore(
            path: folder.file("cache.sqlite"), memory: memory, disk: disk, entries: 100_000, staleness: staleness
        ) { notices.add($0) }
    }
}

extension StoredResponse {
    static func sample(_ key: String, url: String? = nil, note: String = "") -> StoredResponse {
        StoredResponse(
            key: CacheKey(text: key), url: url ?? "https://example.com/\(key)", status: 200,
            fields: ["content-type": "text/plain", "x-note": note], requested: .seconds(1), received: .seconds(2))
    }

    var note: String { fields["x-note"] ?? "" }
}

/// Pseudorandom bytes, determined by the seed.
func bytes(_ count: Int, seed: UInt64) -> [UInt8] {
    guard count > 0 else { return [] }
    var generator = SeededRandom(seed: seed)
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
        for index in 0..<count { buffer[index] = UInt8(truncatingIfNeeded: generator.next() >> 32) }
        initialized = count
    }
}

extension CacheStore {
    /// Stores a response as the cache does: in pieces, waiting for room.
    @discardableResult
    func keep(
        _ response: StoredResponse, _ body: [UInt8], replacing old: [CacheEntry] = [], pieceSize: Int = 10_000,
        length: Int? = nil
    ) async -> CacheEntry? {
        guard let writer = write(length: length) else { return nil }
        guard await writer.appendAll(body, pieceSize: pieceSize) else {
            writer.discard()
            return nil
        }
        return await writer.committed(response, replacing: old)
    }

    func found(_ key: String) async -> [CacheEntry] {
        await withCheckedContinuation { continuation in
            entries(CacheKey(text: key)) { continuation.resume(returning: $0) }
        }
    }

    func read(_ entry: CacheEntry, _ part: Range<Int>? = nil) async throws(PlugboardError) -> [UInt8] {
        try await body(of: entry, part ?? 0..<entry.length).readAll()
    }

    func purged(_ what: Purge) async -> Int {
        await withCheckedContinuation { continuation in purge(what) { continuation.resume(returning: $0) } }
    }

    var statistics: StoreStatistics {
        get async {
            await withCheckedContinuation { continuation in statistics { continuation.resume(returning: $0) } }
        }
    }
}

extension EntryWriter {
    func appendAll(_ body: [UInt8], pieceSize: Int) async -> Bool {
        for start in stride(from: 0, to: body.count, by: pieceSize) {
            if !hasRoom { await withCheckedContinuation { continuation in room { continuation.resume() } } }
            let isTaken = body[start..<min(start + pieceSize, body.count)].withUnsafeBytes { append($0) }
            if !isTaken { return false }
        }
        return true
    }

    func committed(_ response: StoredResponse, replacing old: [CacheEntry] = []) async -> CacheEntry? {
        await withCheckedContinuation { continuation in
            commit(StoredHead(response), replacing: old) { continuation.resume(returning: $0) }
        }
    }
}

extension BodySource {
    /// Pulls to the end, and releases the source.
    func readAll() async throws(PlugboardError) -> [UInt8] {
        defer { release() }
        var all: [UInt8] = []
        while true {
            switch await next() {
            case .bytes(let bytes): all += bytes.array
            case .end: return all
            case .broken(let error): throw error
            }
        }
    }

    func next() async -> Piece {
        if let piece = nextIfReady() { return piece }
        return await withCheckedContinuation { continuation in
            let receiver = Receiver { continuation.resume(returning: $0) }
            pull(Pull(receiver))
        }
    }
}

private final class Receiver: PullReceiver {
    private let resume: Mutex<(@Sendable (Piece) -> Void)?>
    init(_ resume: @escaping @Sendable (Piece) -> Void) { self.resume = Mutex(resume) }

    func receive(_ piece: Piece, serial: UInt64) -> Bool {
        let resume = resume.withLock { resume in
            defer { resume = nil }
            return resume
        }
        resume?(piece)
        return resume != nil
    }
}
