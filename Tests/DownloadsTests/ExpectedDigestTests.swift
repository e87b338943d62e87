import Plugboard
import TestSupport
import Testing

@testable import PlugboardDownloads

struct ExpectedDigestTests {
    // Lengths around the borders of a block; the digests are those of Python's hashlib.
    private static let vectors: [(count: Int, first: String, last: String)] = [
        (
            0, "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce",
            "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
        (
            1, "b8244d028981d693af7b456af8efa4cad63d282e19ff14942c246e50d9351d22",
            "704a802a71c3580b6370de4ceb293c324a8423342557d4e5c38438f0e36910ee"
        ),
        (
            3, "8081da5f9c1e3d0e1aa16f604d5e5064543cff5d7bace2bb312252461e151b3f",
            "e0f034ea8dc1dacff3361a892d625fbe1b614cda265f87a473c24b0fa1d91dfd"
        ),
        (
            111, "a1a111449b198d9b1f538bad7f3fc1022b3a5b1a5e90a0bc860de8512746cbc3",
            "1599e6c834de3a3235327af0b51ff57bf7acf1974a73014d9c3953812edc7c8d"
        ),
        (
            112, "c5fbd731d19d2ae1180f001be72c2c1aaba1d7b094b3748880e24593b8e117a7",
            "50e11c1bd867cc2f96dace8c8b74abd2d5c4f236be444e77d30d1916174070b9"
        ),
        (
            113, "61b2e77db697dfe5571fff3ed06bd60c41e1e7b7c08a80de01cb16526d9a9a52",
            "d690dfbe792278a60f6e2b4c57a97c729773f26e258d2393890c985d645f6715"
        ),
        (
            127, "eab89674feaa34e27aebeeff3c0a4d70070bb872d5e9f186cf1dbbdee517b6e3",
            "5724d629ff025a5b07185e911ada7e3c8acf830aa0e4f71777bd2d44f504f7f0"
        ),
        (
            128, "1dffd5e3adb71d45d2245939665521ae001a317a03720a45732ba1900ca3b835",
            "1fc5c9b4ca513eba6f80bc7b1d1fdad4abd13491cb824d61b08d8c0e1561b3f7"
        ),
        (
            129, "1d9da57fbbdab09afb3506ab2d223d06109d65c1c8ad197f50138f714bc4c3f2",
            "fe5787922639c680acad1c651f955990425954ce2cba0c5cc83f2667d878eb0f"
        ),
        (
            239, "cb4c7fd522756d5781ad3a4f590a1d862906b960e7720136cb3fb36b563caa1e",
            "a5689134291fa79c80ccc2b4092b41df32ebdcb36dbe79db483440228c1622a8"
        ),
        (
            240, "6c48466c9f6c07e4ab762c696b7eeb35cfe236fca73683e5fab873ac3489b4d2",
            "eb3d7afcce7e8165dbbf37aded3b5b0c889c0b7e0f1790a8330d8677429d91a5"
        ),
        (
            241, "4f663484efca758d670147758a5d4d9e5933fe22c0a1dc01f954738ff8310a65",
            "15b3ec42094449075ed678c55ee001a4fb91b1081dfae6ab83860b7b4cc7b4ab"
        ),
        (
            256, "7ff1cd1e9773a4b7ba1f40e642db0d879bd5f6cc151a7d3401a0bc7778b8270c",
            "108b530fb195f2383f4cec8cf05778e6af4db56811673371674cec1524488f83"
        ),
        (
            1000, "5096498d96f50f9a137c4db5b8b0cd38383ad55350fb5a98805fedc31fa1262f",
            "1f0cf4d6f12d7ecd8dedd933a4c9126344fe22e937a8ad35fdeae1e876ae698b"
        ),
        (
            100000, "9a63314a71907982aa89ca2dfd6e22b5c5a436df3a7b55f93785d7f7971324a3",
            "fd500ae72e066a5367b1f2d407a820503c6e2f13df5885f83a49aedb0706db84"
        ),
    ]

    @Test(arguments: vectors)
    func `SHA-512 is that of other programs`(vector: (count: Int, first: String, last: String)) {
        let (count, expected) = (vector.count, vector.first + vector.last)
        let bytes = (0..<count).map { UInt8($0 % 251) }
        for step in [count, 1, 7, 127, 128, 129] where step > 0 {
            var digest = RunningDigest(.sha512)
            for start in stride(from: 0, to: count, by: step) {
                bytes[start..<min(start + step, count)].withUnsafeBytes { digest.update($0) }
            }
            #expect(digest.hexadecimal == expected, "\(count) bytes by \(step)")
        }
        if count == 0 { #expect(RunningDigest(.sha512).hexadecimal == expected) }
    }

    private static func text(_ name: String, _ part: String, _ count: Int, _ end: String = "") -> String {
        name + String(repeating: part, count: count) + end
    }

    private static let texts: [(String, String?)] = [
        (text("sha-256=", "Ab", 32), text("sha-256 ", "ab", 32)),
        (text("SHA256=", "0", 64), text("sha-256 ", "0", 64)),
        (text("sha-512=", "1", 128), text("sha-512 ", "1", 128)),
        (text("sha-512=", "A", 86, "=="), text("sha-512 ", "0", 128)),
        (text("sha-512=", "1", 64), nil), (text("sha-256=", "g", 64), nil),
        (text("md5=", "0", 32), nil), (text("sha-1=", "0", 40), nil),
        ("sha-256", nil), ("=", nil), ("", nil),
    ]

    @Test(arguments: texts)
    func `a digest is read in hexadecimal digits and in base 64`(text: String, expected: String?) {
        #expect(ExpectedDigest(text).map { "\($0.algorithm.rawValue) \($0.hexadecimal)" } == expected)
    }

    @Test func `a digest with parameters is read, and of a repeated key the last counts`() {
        func value(_ letter: String) -> String { String(repeating: letter, count: 43) + "=" }
        func digest(_ fields: Fields) -> ExpectedDigest? { ExpectedDigest(ResponseHead(status: 200, fields: fields)) }
        let (first, second) = (ExpectedDigest("sha-256=\(value("A"))"), ExpectedDigest("sha-256=\(value("Q"))"))
        var repeated: Fields = ["Repr-Digest": "sha-256=:\(value("A")):"]
        repeated.append("Repr-Digest", "sha-256=:\(value("Q")):")

        #expect(first != nil && second != nil && first != second)
        #expect(digest(["Repr-Digest": "sha-256=:\(value("A")):;x=1"]) == first)
        #expect(digest(["Repr-Digest": "sha-256=:\(value("A")): ; x=\"y\", unixsum=30637"]) == first)
        #expect(digest(["Repr-Digest": "sha-256=:\(value("A")):, sha-256=:\(value("Q")):;x"]) == second)
        #expect(digest(repeated) == second)
        #expect(digest(["Repr-Digest": "sha-256=:\(value("A")):, sha-256=:x:"]) == nil)
        #expect(digest(["Digest": "SHA-256=\(value("Q"))", "Repr-Digest": "sha-256=:\(value("A")):"]) == first)
    }

    @Test func `the strongest digest of a response counts`() {
        let fields: Fields = [
            "Repr-Digest": "sha-256=:" + String(repeating: "A", count: 43) + "=:, sha-512=:"
                + String(repeating: "A", count: 86) + "==:",
            "Digest": "SHA-256=" + String(repeating: "B", count: 42) + "A=",
        ]

        #expect(ExpectedDigest(ResponseHead(status: 206, fields: fields))?.algorithm == .sha512)
    }

    @Test(arguments: [true, false], ["sha-256", "sha-512"])
    func `a file is verified by the digest that the caller gives`(isRight: Bool, name: String) async throws {
        let folder = try TemporaryFolder()
        let content = RangeServer.content(70_000)
        let server = try RangeServer { number, request in
            RangeServer.correct(request, content, cut: number == 1 ? 30_000 : nil)
        }
        var long = RunningDigest(.sha512)
        content.withUnsafeBytes { long.update($0) }
        var download = Download(Request(.get, server.url), to: folder.file("file"))
        let right = name == "sha-256" ? Bytes(content).sha256 : long.hexadecimal
        download.digest = ExpectedDigest(name, isRight ? right : String(right.reversed()))

        let result = try? await download.run(with: Kernel())

        #expect((result != nil) == isRight)
        #expect(try folder.entries() == (isRight ? ["file"] : []))
    }
}
