// Feeds arbitrary bytes to the reader of server-sent events, and compares it with a plain one that has all of them.
import Fuzzing
import PlugboardMessages

@testable import PlugboardCodecs

/// The first byte says into how many pieces the others are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = UnsafeRawBufferPointer(start: start, count: count)
    guard let first = input.first else { return 0 }
    let rest = UnsafeRawBufferPointer(rebasing: input.dropFirst())
    checkTime(rest) { _ = try? read(Bytes(copying: $0), in: 4096, limit: 1 << 20) }
    let bytes = Bytes(copying: rest)

    let expected = plain(bytes.array)
    guard let found = try? read(bytes, in: Int(first) + 1, limit: 1 << 20) else {
        preconditionFailure("a stream below the limit is refused")
    }
    precondition(found.events == expected.events, "events depend on where the stream is cut, or are wrong")
    precondition(found.id == expected.id, "the last id is wrong")

    let limit = 16
    if let found = try? read(bytes, in: Int(first) + 1, limit: limit) {
        precondition(found.events == expected.events)
        // Each line of data is counted with its end.
        precondition(found.events.allSatisfy { $0.data.unicodeScalars.count <= limit * 2 }, "above the limit")
    }
    return 0
}

private func read(
    _ bytes: Bytes, in size: Int, limit: Int
) throws(PlugboardError) -> (events: [ServerSentEvent], id: String) {
    var parser = ServerSentEventParser(limit: limit)
    var events: [ServerSentEvent] = []
    var start = 0
    repeat {
        parser.add(bytes[start..<min(start + size, bytes.count)])
        while let event = try parser.next() { events.append(event) }
        start += size
    } while start < bytes.count
    return (events, parser.lastEventID)
}

/// The rules of the HTML standard (§9.2.6) as they stand there, upon the whole text.
private func plain(_ bytes: [UInt8]) -> (events: [ServerSentEvent], id: String) {
    var rest = bytes[...]
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { rest = rest.dropFirst(3) }
    var (events, data, type, id, lastID) = ([ServerSentEvent](), [UInt8](), "", "", "")
    while let end = rest.firstIndex(where: { $0 == 10 || $0 == 13 }) {
        let line = rest[..<end]
        let isPair = rest[end] == 13 && rest.dropFirst(line.count + 1).first == 10
        rest = rest[(end + (isPair ? 2 : 1))...]
        if line.isEmpty {
            lastID = id
            if !data.isEmpty {
                events.append(
                    ServerSentEvent(
                        type: type.isEmpty ? "message" : type, data: String(decoding: data.dropLast(), as: UTF8.self),
                        id: id))
            }
            (data, type) = ([], "")
            continue
        }
        let colon = line.firstIndex(of: UInt8(ascii: ":"))
        var value = colon.map { line[($0 + 1)...] } ?? []
        if value.first == 0x20 { value = value.dropFirst() }
        switch String(decoding: line[..<(colon ?? line.endIndex)], as: UTF8.self) {
        case "data": data += value + [10]
        case "event": type = String(decoding: value, as: UTF8.self)
        case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
        default: break
        }
    }
    return (events, lastID)
}
