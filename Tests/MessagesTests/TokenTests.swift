import PlugboardMessages
import Testing

struct TokenTests {
    @Test func `a token has the characters of RFC 9110 and no others`() {
        let allowed = Set("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

        for byte in UInt8.min...UInt8.max { #expect(FieldName.isTokenByte(byte) == allowed.contains(byte), "\(byte)") }
    }

    @Test(arguments: [("GET", true), ("X-Id_1.a~", true), ("", false), ("a b", false), ("a:", false), ("ä", false)])
    func `a text of such characters is a token, an empty one is not`(text: String, isOne: Bool) {
        #expect(isToken(text) == isOne)
    }
}
