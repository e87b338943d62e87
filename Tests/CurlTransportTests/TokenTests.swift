import Testing

@testable import PlugboardCurl

/// The characters of a token (RFC 9110 §5.6.2), which are checked eight at a time.
@Suite struct TokenTests {
    private static let tokenBytes = Set(
        "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    @Test(arguments: [1, 7, 8, 9, 15, 16, 17, 24])
    func `a byte ends a token at each place, or does not, as the grammar says`(count: Int) {
        for place in 0..<count {
            for byte in UInt8.min...UInt8.max {
                var text = [UInt8](repeating: 0x61, count: count)
                text[place] = byte
                let length = text.withUnsafeBytes { Token.length($0) }
                #expect(length == (Self.tokenBytes.contains(byte) ? count : place), "byte \(byte) at \(place)")
            }
        }
    }

    @Test func `two bytes beside each other do not change what each is`() {
        var wrong: [[UInt8]] = []
        for first in UInt8.min...UInt8.max {
            for second in UInt8.min...UInt8.max {
                let text = [0x61, first, second] + [UInt8](repeating: 0x61, count: 6)
                let expected = text.firstIndex { !Self.tokenBytes.contains($0) } ?? text.count
                if text.withUnsafeBytes({ Token.length($0) }) != expected { wrong.append([first, second]) }
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func `a token is not empty`() {
        #expect(![UInt8]().withUnsafeBytes { Token.isToken($0) })
    }
}
