import Plugboard
import PlugboardMessages

extension Duration {
    /// A time of the command line, of which a number without a unit is seconds; nil if the option is not given.
    static func argument(_ text: String?, _ option: String) throws(CommandFailure) -> Duration? {
        guard let text else { return nil }
        guard let duration = DurationText(text)?.duration ?? seconds(text), duration > .zero else {
            throw CommandFailure(.usage, "\(option) must be a time like 30s (ms, s, m, h, d), or seconds like 2.5.")
        }
        return duration
    }

    /// A time of the command line, of which 0 stands for no limit; nil for no limit.
    static func limit(_ text: String?, _ option: String) throws(CommandFailure) -> Duration? {
        text.flatMap(Double.init) == 0 ? nil : try argument(text, option)
    }

    private static func seconds(_ text: String) -> Duration? {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }),
            let seconds = Double(text), seconds < 1e9
        else { return nil }
        return .milliseconds(Int64((seconds * 1000).rounded(.up)))
    }
}

extension ByteCount {
    /// A size of the command line in curl's spelling, `512`, `500k` or `1.5M`, or in that of configurations, `500KiB`;
    /// nil if the option is not given. All units are of 1024.
    static func argument(_ text: String?, _ option: String) throws(CommandFailure) -> ByteCount? {
        guard let text else { return nil }
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        guard let number = Double(digits), let shift = shifts[text[digits.endIndex...].lowercased()],
            number * Double(1 << shift) < 1e18
        else { throw CommandFailure(.usage, "\(option) must be a size like 512, 200k, 1M or 8MiB.") }
        return .bytes(Int(number * Double(1 << shift)))
    }

    /// A size of the command line, of which 0 stands for no limit; nil for no limit.
    static func limit(_ text: String?, _ option: String) throws(CommandFailure) -> ByteCount? {
        try argument(text, option).flatMap { $0.bytes == 0 ? nil : $0 }
    }

    /// The number of bits by which a number is shifted for a unit, which is in lower case.
    private static let shifts: [String: Int] = {
        var shifts = ["": 0, "b": 0]
        for (index, letter) in "kmgtp".enumerated() {
            for unit in ["", "b", "ib"] { shifts["\(letter)\(unit)"] = 10 * (index + 1) }
        }
        return shifts
    }()
}
