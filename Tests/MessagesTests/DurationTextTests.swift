import PlugboardMessages
import Testing

struct DurationTextTests {
    @Test(arguments: ["0ms", "1ms", "999ms", "1001ms", "1s", "90s", "3m", "61m", "1h", "36h", "1d", "106751d"])
    func `a time is printed as it was written`(text: String) {
        #expect(DurationText(text)?.description == text)
    }

    @Test(arguments: [("180s", "3m"), ("1000ms", "1s"), ("24h", "1d"), ("0d", "0ms")])
    func `a time is printed in the largest unit that divides it`(written: String, printed: String) {
        #expect(DurationText(written)?.description == printed)
    }

    @Test(arguments: [
        "", "s", "1", "1 s", "-1s", "+1s", "1.5s", "1us", "1M", "1S", "1ss", "106752d", "9223372036854775807ms",
    ])
    func `an invalid or too long time is refused`(text: String) {
        #expect(DurationText(text) == nil)
    }

    @Test func `nanoseconds are clamped to 64 bits`() {
        #expect(Duration.seconds(Int64.max).nanoseconds == .max)
        #expect(Duration.seconds(Int64.min).nanoseconds == .min)
        #expect(Duration.milliseconds(1500).nanoseconds == 1_500_000_000)
        #expect(Duration.nanoseconds(-7).nanoseconds == -7)
    }
}
