/// Checks `contentEncoding` and `contentMediaType`, if they are asserted.
struct ContentCheck {
    let isBase64: Bool
    let isJSON: Bool
    /// The node of `contentSchema`; `none` if there is none.
    var node = MembersPlan.none

    /// The decoded bytes of the text; nil if the text is not valid in the encoding.
    func decode(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard isBase64 else { return Array(text) }
        guard text.count % 4 == 0 else { return nil }
        var output: [UInt8] = []
        output.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var padding = 0
        for (position, byte) in text.enumerated() {
            let value: UInt32
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): value = UInt32(byte) - 65
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(byte) - 71
            case UInt8(ascii: "0")...UInt8(ascii: "9"): value = UInt32(byte) + 4
            case UInt8(ascii: "+"): value = 62
            case UInt8(ascii: "/"): value = 63
            case UInt8(ascii: "=") where position >= text.count - 2:
                padding += 1
                value = 0
            default: return nil
            }
            if padding > 0 && byte != UInt8(ascii: "=") { return nil }
            bits = bits << 6 | value
            if position % 4 == 3 {
                output.append(UInt8(truncatingIfNeeded: bits >> 16))
                if padding < 2 { output.append(UInt8(truncatingIfNeeded: bits >> 8)) }
                if padding < 1 { output.append(UInt8(truncatingIfNeeded: bits)) }
                bits = 0
            }
        }
        return output
    }
}
