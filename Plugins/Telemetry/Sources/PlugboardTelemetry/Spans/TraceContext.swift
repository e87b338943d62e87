import Synchronization

/// The identity of a span in W3C's Trace Context: `traceparent`, and `tracestate` unchanged.
struct TraceContext: Sendable, Equatable {
    /// The trace, not all zero.
    var trace: TraceNumber
    /// The span, not zero.
    var span: UInt64
    /// The flags as a number; bit 0 says that the trace is sampled.
    var flags: UInt8
    var state: String?

    var isSampled: Bool { flags & 1 == 1 }

    init(trace: TraceNumber, span: UInt64, isSampled: Bool, state: String? = nil) {
        (self.trace, self.span, flags, self.state) = (trace, span, isSampled ? 1 : 0, state)
    }

    /// Nil for a text that is not a `traceparent` of version 00, or of a later one that begins like it (Trace Context
    /// §3.2.4).
    init?(_ parent: String, state: String? = nil) {
        let parts = parent.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, TraceContext.isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4, TraceContext.isHexadecimal(parts[1], 32),
            TraceContext.isHexadecimal(parts[2], 16), TraceContext.isHexadecimal(parts[3], 2),
            let high = UInt64(parts[1].prefix(16), radix: 16), let low = UInt64(parts[1].suffix(16), radix: 16),
            let span = UInt64(parts[2], radix: 16), high | low != 0, span != 0
        else { return nil }
        (trace, self.span) = (TraceNumber(high: high, low: low), span)
        flags = UInt8(parts[3], radix: 16) ?? 0
        // Omits a state that a field cannot contain.
        self.state = state.flatMap { text in
            !text.isEmpty && text.utf8.count <= 8192 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
    }

    /// Calls `body` with `traceparent`: 00-TRACE-SPAN-FLAGS.
    func withParent(_ body: (UnsafeRawBufferPointer) -> Void) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 55) { text in
            (text[0], text[1]) = (UInt8(ascii: "0"), UInt8(ascii: "0"))
            (text[2], text[35], text[52]) = (UInt8(ascii: "-"), UInt8(ascii: "-"), UInt8(ascii: "-"))
            Hexadecimal.write(trace.high, 16, text, at: 3)
            Hexadecimal.write(trace.low, 16, text, at: 19)
            Hexadecimal.write(span, 16, text, at: 36)
            Hexadecimal.write(UInt64(flags), 2, text, at: 53)
            body(UnsafeRawBufferPointer(text))
        }
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// The 128 bits of a trace's identifier.
struct TraceNumber: Sendable, Equatable {
    var high, low: UInt64

    /// 32 hexadecimal digits.
    var text: String { Hexadecimal.text(high) + Hexadecimal.text(low) }
}

/// Numbers as hexadecimal digits in lower case.
enum Hexadecimal {
    static func text(_ number: UInt64) -> String {
        String(unsafeUninitializedCapacity: 16) { text in
            write(number, 16, text, at: 0)
            return 16
        }
    }

    @inline(__always)
    static func write(_ number: UInt64, _ count: Int, _ text: UnsafeMutableBufferPointer<UInt8>, at place: Int) {
        for index in 0..<count {
            let digit = UInt8(truncatingIfNeeded: number >> UInt64(4 * (count - 1 - index))) & 0xF
            text[place + index] = digit < 10 ? 0x30 + digit : 0x57 + digit
        }
    }
}

/// Makes identifiers of traces and spans. They need not be secret, only differ from all others: they are pseudorandom
/// numbers (SplitMix64) from a random start, because the system's random numbers take a system call each.
final class TraceIdentifiers: Sendable {
    private let last = Atomic(UInt64.random(in: 0 ... .max))
    private let mask = UInt64.random(in: 0 ... .max)

    /// Not zero. [any]
    func next() -> UInt64 {
        var number = last.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        number = (number ^ number >> 30) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ number >> 27) &* 0x94D0_49BB_1331_11EB
        number = number ^ number >> 31 ^ mask
        return number == 0 ? next() : number
    }

    func trace() -> TraceNumber { TraceNumber(high: next(), low: next()) }
}
