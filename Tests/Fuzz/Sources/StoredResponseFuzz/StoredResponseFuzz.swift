// Feeds arbitrary bytes to the reader of stored heads, and what it accepts to the policy; checks what must hold.
import Fuzzing
import PlugboardCacheOptions
import PlugboardKit
import PlugboardSQLite

@testable import PlugboardCache

/// The first byte chooses a form: a head as a file holds it, lines of fields for a request and for what is stored, or a
/// value in the store of a fleet.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    guard let form = bytes.first else { return 0 }
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    if form >= 0xF0 {
        checkTime(rest) { checkFleet($0) }
    } else if form & 1 == 0 {
        checkTime(rest) { _ = StoredResponse.decoded($0) }
        guard let (response, length) = StoredResponse.decoded(rest) else { return 0 }
        checkCoding(response, length)
        for fields in requests { check(CacheEntry(id: 1, response: response, length: length), fields) }
    } else {
        let policy = CachePolicy(isShared: form & 2 == 0, variantLimit: 2)
        checkTime(rest) { checkExchange($0, policy: policy) }
    }
    return 0
}

private let now = Duration.seconds(1_700_000_000)
private let key = CacheKey(text: "https://a.example/")

private let requests: [Fields] = [
    [:], ["Range": "bytes=1-3"], ["Range": "bytes=-2"], ["Range": "bytes=1-"], ["If-None-Match": "\"a\""],
    ["Cache-Control": "max-stale"], ["If-Range": "\"a\"", "Range": "bytes=0-0"],
]

private func checkCoding(_ response: StoredResponse, _ length: Int) {
    let bytes = response.encoded(length: length)
    guard let (again, sameLength) = bytes.withUnsafeBytes({ StoredResponse.decoded($0) }) else {
        preconditionFailure("a head that was written cannot be read")
    }
    precondition(sameLength == length && again.encoded(length: length) == bytes, "a head that was written is another")
    precondition(response.range.map { $0.first >= 0 && $0.complete ?? 0 >= 0 } ?? true, "a range that cannot exist")
}

/// A request gets a part of the stored body, and an age that is not negative.
private func check(_ entry: CacheEntry, _ fields: Fields) {
    for method in [Method.get, .head] {
        let request = RequestFacts(method: method, key: key, url: key.text, fields: fields)
        switch CachePolicy().decision(for: request, entries: [entry], now: now) {
        case .reuse(let reuse): checkReuse(reuse)
        case .forward(let forward):
            checkResponses(to: forward, ["ETag": "\"a\"", "Content-Range": "bytes 0-4/9"], CachePolicy())
        case .gatewayTimeout: preconditionFailure("the network is not excluded")
        }
    }
}

private func checkReuse(_ reuse: Reuse) {
    precondition(reuse.body.map { $0.lowerBound >= 0 && $0.upperBound <= reuse.entry.length } ?? true)
    let age = reuse.head.fields[.age].flatMap { Int64($0) }
    precondition(reuse.freshness == .revalidated || (age ?? -1) >= 0, "a response without an age")
    precondition(!reuse.status.description.isEmpty)
}

private func checkResponses(to forward: Forward, _ fields: Fields, _ policy: CachePolicy) {
    if case .reuse(let reuse) = policy.decision(afterFailureOf: forward, isUnreachable: true, now: now) {
        checkReuse(reuse)
    }
    for status in [200, 204, 206, 304, 404, 412, 416, 503] {
        let response = NetworkResponse(forward: forward, status: status, fields: fields, requested: now, received: now)
        let decision = policy.decision(on: response) { $0.hasPrefix("https:") ? $0 : nil }
        if case .reuse(let reuse) = decision.outcome { checkReuse(reuse) }
        if case .resend(let plain) = decision.outcome {
            precondition(plain.validated.isEmpty && plain.completed == nil, "what failed is asked again")
        }
        guard let store = decision.store else { continue }
        precondition(!store.response.fields.contains(.connection) && store.response.fields.contains(.date))
        let length = min(store.lengths?.upperBound ?? 9, 1 << 40)
        checkCoding(store.response, length)
    }
}

/// Lines of `name: value`, for a request up to an empty line, and for a response after it.
private func checkExchange(_ bytes: UnsafeRawBufferPointer, policy: CachePolicy) {
    var (sent, received) = (Fields(), Fields())
    var isResponse = false
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            isResponse = true
            continue
        }
        let name = UnsafeRawBufferPointer(rebasing: line[..<colon])
        let value = UnsafeRawBufferPointer(rebasing: line[(colon + 1)...])
        if isResponse { received.append(name, value) } else { sent.append(name, value) }
    }
    for method in [Method.get, .head, .post] {
        let request = RequestFacts(method: method, key: key, url: key.text, fields: sent)
        guard case .forward(let forward) = policy.decision(for: request, entries: [], now: now) else { continue }
        let response = NetworkResponse(forward: forward, status: 200, fields: received, requested: now, received: now)
        checkResponses(to: forward, received, policy)
        guard let store = policy.decision(on: response, resolving: { _ in nil }).store else { continue }
        let entry = CacheEntry(id: 1, response: store.response, length: min(store.lengths?.upperBound ?? 9, 1 << 40))
        for moment in [now, now + .seconds(3), now + .seconds(1 << 33), .zero] {
            switch policy.decision(for: request, entries: [entry, entry], now: moment) {
            case .reuse(let reuse): checkReuse(reuse)
            case .forward(let forward): checkResponses(to: forward, received, policy)
            case .gatewayTimeout: break
            }
        }
    }
}

/// The values that a look-up reads, each after its length: records, whose checksum is made right, the generation, and
/// marks.
private func checkFleet(_ bytes: UnsafeRawBufferPointer) {
    var reader = ByteReader(bytes)
    var values: [Bytes?] = []
    while values.count < 4, let view = try? reader.view() { values.append(Bytes(copying: view)) }
    values += [Bytes?](repeating: nil, count: 4 - values.count)
    if let records = values[0]?.array {
        let sum = records.withUnsafeBytes { Checksum.of($0, seed: Checksum.of(key.text)) }
        values[0] = Bytes(records + withUnsafeBytes(of: sum.littleEndian) { Array($0) })
    }
    let view = FleetView(key, [key.url], values)
    precondition(view.missingURLs.count <= bytes.count)
    for record in view.records {
        precondition(record.id > 0 && record.response.key == key && record.entry.length >= 0)
        precondition(record.body.map { $0.count == record.length } ?? true)
        let again = FleetRecord.decoded(FleetRecord.encoded([record], of: key), of: key)
        precondition(again?.first?.id == record.id && again?.first?.stamp == record.stamp, "another record")
        for number in 0..<min(FleetChunks.count(record.length), 2) {
            _ = FleetChunks.read(Bytes(copying: bytes), number, of: record.entry)
        }
        for fields in requests { check(record.entry, fields) }
    }
    guard let generation = values[1].flatMap({ FleetGeneration($0) }) else { return }
    precondition(FleetGeneration(generation.value)?.value == generation.value, "another generation")
    _ = generation.purging("*")?.has(view.stamp(key.url), key.url)
}
