import Foundation
import PlugboardFieldValues
import TestSupport
import Testing

struct Base64Tests {
    @Test(arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
    func `the vectors of RFC 4648 are written and read as Foundation does`(text: String) {
        let bytes = Array(text.utf8)

        let encoded = Base64.encode(bytes)

        #expect(encoded == Data(bytes).base64EncodedString())
        #expect(Base64.decode(encoded) == bytes)
    }

    @Test func `all bytes return unchanged, in every length modulo three`() {
        for count in 253...256 {
            let bytes = (0..<count).map { UInt8($0 & 0xFF) }

            let encoded = Base64.encode(bytes)

            #expect(encoded == Data(bytes).base64EncodedString())
            #expect(Base64.decode(encoded) == bytes)
        }
    }

    @Test(arguments: [
        "Zg", "Zg=", "Zg===", "Zh==", "Zm9=", "Z===", "====", "=", "Zm9v\n", "Zm 9v", "Zm9-", "Zm9_", "Zg==Zg==",
        "Zgé=",
    ])
    func `a text that encode does not write is refused`(text: String) {
        #expect(Base64.decode(text) == nil)
    }
}
