import PlugboardMessages
import TestSupport
import Testing

@Suite struct SHA256Tests {
    @Test(arguments: [
        ("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            1, "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
        ("a", 1_000_000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ])
    func `the examples of FIPS 180-4 come out`(text: String, count: Int, digest: String) {
        let bytes = Array(repeatElement(Array(text.utf8), count: count).joined())

        #expect(Bytes(bytes).sha256 == digest)
    }

    @Test func `every length around a block's end agrees with sha256sum`() throws {
        let folder = try TemporaryFolder()
        let messages = (0...130).map { length in (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ length) } }
        let paths = try messages.enumerated().map { try folder.write("\($0.offset)", $0.element) }

        let sums = try ProcessRunner.output(of: ["sha256sum"] + paths).split(separator: "\n").map { $0.prefix(64) }

        #expect(messages.map { Bytes($0).sha256 } == sums.map(String.init))
    }
}
