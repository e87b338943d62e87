/// The identity of a span in W3C's Trace Context: `traceparent`, and `tracestate` unchanged.
struct TraceContext: Sendable, Equatable {
    /// 32 hexadecimal digits in lower case, not all zero.
    var trace: String
    /// 16 hexadecimal digits in lower case, not all zero.
    var span: String
    /// The flags as a number; bit 0 says that the trace is sampled.
    var flags: UInt8
    var state: String?

    var isSampled: Bool { flags & 1 == 1 }

    init(trace: String, span: String, isSampled: Bool, state: String? = nil) {
        (self.trace, self.span, flags, self.state) = (trace, span, isSampled ? 1 : 0, state)
    }

    /// Nil for a text that is not a `traceparent` of version 00, or of a later one that begins like it (Trace Context
    /// §3.2.4).
    init?(_ parent: String, state: String? = nil) {
        let parts = parent.split(separator: "-", maxSplits: 4, omittingEmptySubsequences: false)
        guard parts.count >= 4, TraceContext.isHexadecimal(parts[0], 2), parts[0] != "ff",
            parts[0] != "00" || parts.count == 4, TraceContext.isHexadecimal(parts[1], 32),
            TraceContext.isHexadecimal(parts[2], 16), TraceContext.isHexadecimal(parts[3], 2),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" })
        else { return nil }
        (trace, span) = (String(parts[1]), String(parts[2]))
        flags = UInt8(parts[3], radix: 16) ?? 0
        // Omits a state that a field cannot contain.
        self.state = state.flatMap { text in
            !text.isEmpty && text.utf8.count <= 8192 && text.utf8.allSatisfy { (0x20...0x7E).contains($0) } ? text : nil
        }
    }

    var parent: String {
        let flags = String(flags, radix: 16)
        return "00-\(trace)-\(span)-\(flags.utf8.count == 1 ? "0" : "")\(flags)"
    }

    private static func isHexadecimal(_ text: Substring, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}

/// Makes identifiers of traces and spans.
enum TraceIdentifier {
    static func trace() -> String { hexadecimal(.random(in: 1 ... .max)) + hexadecimal(.random(in: 0 ... .max)) }
    static func span() -> String { hexadecimal(.random(in: 1 ... .max)) }

    private static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }
}
