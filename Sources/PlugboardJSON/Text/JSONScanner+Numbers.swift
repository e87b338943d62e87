extension JSONScanner {
    // RFC 8259 §6: number = [ minus ] int [ frac ] [ exp ]
    mutating func number() throws(Failure) -> JSONNumber {
        let first = cursor
        let isNegative = cursor.pointee == UInt8(ascii: "-")
        if isNegative { cursor += 1 }
        let leading = cursor
        var magnitude: Int64 = 0
        while let digit = nextDigit {
            // May wrap, but is only used below 19 digits.
            magnitude = magnitude &* 10 &+ Int64(digit)
            cursor += 1
        }
        let count = cursor - leading
        guard count > 0 else { throw unexpected("a digit") }
        if count > 1, leading.pointee == UInt8(ascii: "0") {
            cursor = leading
            throw failure("a number must not begin with 0 before other digits")
        }
        let isFractional = try skipFraction()
        let hasExponent = try skipExponent(from: first)
        if !isFractional, !hasExponent, count <= 18, !(isNegative && magnitude == 0) {
            return JSONNumber(storage: .integer(isNegative ? -magnitude : magnitude))
        }
        let text = UnsafeBufferPointer(start: first, count: cursor - first)
        return JSONNumber(storage: .text(String(decoding: text, as: UTF8.self)))
    }

    private var nextDigit: UInt8? {
        guard cursor < end else { return nil }
        let digit = cursor.pointee &- UInt8(ascii: "0")
        return digit <= 9 ? digit : nil
    }

    // frac = decimal-point 1*DIGIT
    private mutating func skipFraction() throws(Failure) -> Bool {
        guard cursor < end, cursor.pointee == UInt8(ascii: ".") else { return false }
        cursor += 1
        guard nextDigit != nil else { throw unexpected("a digit") }
        while nextDigit != nil { cursor += 1 }
        return true
    }

    // exp = e [ minus / plus ] 1*DIGIT
    private mutating func skipExponent(from first: UnsafePointer<UInt8>) throws(Failure) -> Bool {
        guard cursor < end, cursor.pointee | 0x20 == UInt8(ascii: "e") else { return false }
        let mantissa = UnsafeBufferPointer(start: first, count: cursor - first)
        cursor += 1
        if cursor < end, cursor.pointee == UInt8(ascii: "-") || cursor.pointee == UInt8(ascii: "+") { cursor += 1 }
        guard nextDigit != nil else { throw unexpected("a digit") }
        while nextDigit == 0 { cursor += 1 }
        let significant = cursor
        while nextDigit != nil { cursor += 1 }
        if cursor - significant > 18, mantissa.contains(where: { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) })
        {
            cursor = significant
            throw failure("an exponent has at most 18 digits")
        }
        return true
    }
}
