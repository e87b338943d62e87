import PlugboardMessages
import Testing

@testable import PlugboardAuthentication

struct FleetKeyTests {
    private let key = FleetKey([UInt8](repeating: 1, count: 32))
    private let nonce = [UInt8](0..<12)

    @Test func `a value is decrypted with the same key, for the same store key`() {
        let sealed = key.seal(Array("a token".utf8), for: "authentication/1/a/token", nonce: nonce)

        #expect(key.open(sealed, for: "authentication/1/a/token") == Array("a token".utf8))
        #expect(key.open(sealed, for: "authentication/1/b/token") == nil)
        #expect(FleetKey([UInt8](repeating: 2, count: 32)).open(sealed, for: "authentication/1/a/token") == nil)
    }

    @Test func `a value that is changed or cut anywhere is not decrypted`() {
        let sealed = key.seal(Array("a token".utf8), for: "k", nonce: nonce).array

        for place in sealed.indices {
            var changed = sealed
            changed[place] ^= 1
            #expect(key.open(Bytes(changed), for: "k") == nil)
            #expect(key.open(Bytes(Array(sealed[..<place])), for: "k") == nil)
        }
        #expect(key.open(Bytes(sealed + [0]), for: "k") == nil)
    }

    @Test func `names depend on the key and on each text`() {
        let names = Set([
            key.name(["a", "b"]), key.name(["ab"]), key.name(["a\", \"b"]),
            FleetKey([UInt8](repeating: 2, count: 32)).name(["a", "b"]),
        ])

        #expect(names.count == 4 && names.allSatisfy { $0.utf8.count == 64 })
    }
}
