// Feeds arbitrary fields to the readers of `Retry-After` and `RateLimit`, and checks what must hold.
import Fuzzing
import PlugboardKit
import PlugboardServerDelay

@testable import PlugboardRetry

/// Lines: each is the value of a field, whose name is chosen by the first byte.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    checkTime(bytes) { _ = ServerDelay(reading: fields($0), wallClock: now) }
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        checkDate(UnsafeRawBufferPointer(rebasing: line.dropFirst()))
    }

    let delay = ServerDelay(reading: fields(bytes), wallClock: now)
    for duration in [delay.retryAfter, delay.rateLimit] {
        precondition((.zero...ServerDelay.limit).contains(duration ?? .zero), "a delay that cannot be")
    }
    let situation = RetryPolicy.Situation(
        method: .get, outcome: .response(status: 503), serverDelay: delay, attempt: 1 + count % 64, elapsed: now)
    let policy = RetryPolicy(attempts: .max, totalTime: count % 2 == 0 ? nil : .seconds(Int64.max))
    switch policy.decision(for: situation, drawing: { .max }) {
    case .again(let duration, let basis):
        let limit = basis == .backoff ? policy.backoff.limit : policy.retryAfterLimit
        precondition((.zero...limit).contains(duration))
    case .giveUp(let reason): precondition(reason == .retryAfterLimit)
    case .pass: preconditionFailure("a 503 is nothing to repeat")
    }
    return 0
}

private func fields(_ bytes: UnsafeRawBufferPointer) -> Fields {
    var fields = Fields()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        var name = names[Int(line.first ?? 0) % names.count]
        name.withUTF8 { fields.append(UnsafeRawBufferPointer($0), UnsafeRawBufferPointer(rebasing: line.dropFirst())) }
    }
    return fields
}

private let now = Duration.seconds(1_700_000_000)
private let names = [
    "Retry-After", "RateLimit", "RateLimit-Policy", "RateLimit-Remaining", "RateLimit-Reset",
]

/// What is read as a date is one that can be written, and is then the same (RFC 9110 §5.6.7).
private func checkDate(_ bytes: UnsafeRawBufferPointer) {
    guard let date = HTTPDate(bytes, now: HTTPDate(now)) else { return }
    let text = date.description
    // A leap second in the last minute that can be written is written as the second before it.
    let written = min(date.seconds, 253_402_300_799)
    precondition(text.utf8.count == 29 && HTTPDate(text, now: HTTPDate(now))?.seconds == written, "no date reads back")
}
