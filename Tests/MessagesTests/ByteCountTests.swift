import PlugboardMessages
import Testing

struct ByteCountTests {
    @Test(arguments: ["0B", "1B", "1023B", "1KiB", "1025B", "1025KiB", "16MiB", "3GiB", "8589934591GiB"])
    func `a size is printed as it was written`(text: String) {
        #expect(ByteCount(text)?.description == text)
    }

    @Test(arguments: [("1024B", "1KiB"), ("2048KiB", "2MiB"), ("007MiB", "7MiB"), ("0GiB", "0B")])
    func `a size is printed in the largest unit that divides it`(written: String, printed: String) {
        #expect(ByteCount(written)?.description == printed)
    }

    @Test(arguments: [
        "", "B", "1", "1 KiB", " 1B", "1B ", "-1B", "+1B", "1kb", "1kib", "1MB", "1.5MiB", "1BB", "\u{0661}B",
        "1\u{0301}B", "9223372036854775808B", "9007199254740992KiB", "8589934592GiB",
    ])
    func `an invalid or too large size is refused`(text: String) {
        #expect(ByteCount(text) == nil)
    }

    @Test func `counts are clamped and never overflow`() {
        #expect(ByteCount.bytes(-1).bytes == 0)
        #expect(ByteCount.mebibytes(-1).bytes == 0)
        #expect(ByteCount.gibibytes(.max) == .unlimited)
        #expect(ByteCount.kibibytes(2).bytes == 2048)
        #expect(ByteCount.unlimited.description == "unlimited")
        #expect(ByteCount.kibibytes(1) < .mebibytes(1))
    }
}
