import PlugboardJSON
import Testing

@Suite struct `JSON numbers` {
    private func number(_ text: String) throws -> JSONNumber { try #require(JSONNumber(text: text)) }

    @Test(arguments: [
        ("1", "1.0"), ("1e2", "100"), ("100", "1E+2"), ("0", "-0"), ("0", "0e99999999999999999999"), ("0.5", "5e-1"),
        ("-1.50", "-15e-1"), ("12345678901234567890", "1234567890123456789.0e1"), ("1000000000000000000", "1e18"),
        ("9223372036854775808", "9.223372036854775808e18"), ("1e999999999", "10e999999998"),
    ])
    func `equal values are equal however they are written`(_ pair: (String, String)) throws {
        let left = try number(pair.0)
        let right = try number(pair.1)

        let set: Set = [left]

        #expect(left == right)
        #expect(set.contains(right))
        #expect(!(left < right) && !(right < left))
    }

    @Test func `order is exact across signs, sizes and digits`() throws {
        let ascending = [
            "-1e999999999", "-12345678901234567890.5", "-12345678901234567890", "-10", "-9.99", "-1", "-0.1",
            "-1e-999999999",
            "0", "1e-999999999", "0.1", "0.10000000000000000000000000001", "1", "9.99", "10", "9007199254740992",
            "9007199254740993", "9223372036854775807", "9223372036854775808", "1e19", "1e999999999",
        ]

        let numbers = try ascending.map(number)

        for (position, left) in numbers.enumerated() {
            for right in numbers[(position + 1)...] {
                #expect(left < right)
                #expect(!(right < left))
                #expect(left != right)
            }
        }
    }

    @Test(arguments: [
        "", "-", "+1", "01", "-01", "1.", ".5", "1.e1", "1e", "1e+", "0x1", "1 ", " 1", "1,", "NaN", "١", "1e1.5",
        "--1",
    ])
    func `a text that is not a JSON number is nil`(_ text: String) {
        #expect(JSONNumber(text: text) == nil)
    }

    @Test func `an exponent has 18 digits at most, leading zeros not counted`() throws {
        let largest = try number("1e999999999999999999")
        let padded = try number("1e000000000000000000000000000000007")

        #expect(largest > padded)
        #expect(padded == 10_000_000)
        #expect(JSONNumber(text: "1e1000000000000000000") == nil)
        #expect(JSONNumber(text: "-0.000e1000000000000000000") == 0)
    }

    @Test(arguments: ["1.0", "1.50", "-0", "1E+2", "123456789012345678901234567890", "0.1000"])
    func `the text is kept as it was written`(_ text: String) throws {
        #expect(try number(text).text == text)
        #expect(try JSONParser.parse("[\(text)]").description == "[\(text)]")
    }

    @Test func `integers are recognized by value, not by notation`() throws {
        #expect(try number("1.0").isInteger)
        #expect(try number("15e-1").isInteger == false)
        #expect(try number("150e-1").isInteger)
        #expect(try number("1e999999999").isInteger)
        #expect(try number("1e-999999999").isInteger == false)
        #expect(try number("0e-5").isInteger)
    }

    @Test func `conversion to an integer type is exact or nil`() throws {
        #expect(try number("-9223372036854775808").int64 == .min)
        #expect(try number("9223372036854775807").int64 == .max)
        #expect(try number("9223372036854775808").int64 == nil)
        #expect(try number("922337203685477580.7e1").int64 == .max)
        #expect(try number("1e2").int64 == 100)
        #expect(try number("1.5").int64 == nil)
        #expect(try number("1e999999999").int64 == nil)
        #expect(try number("18446744073709551615").integer(UInt64.self) == .max)
        #expect(try number("-1").integer(UInt64.self) == nil)
        #expect(try number("255").integer(UInt8.self) == 255)
        #expect(try number("2.56e2").integer(UInt8.self) == nil)
        #expect(try number("-1.28e2").integer(Int8.self) == -128)
        #expect(try number("0.0").integer(UInt8.self) == 0)
    }

    @Test func `conversion to double is the nearest one`() throws {
        #expect(try number("0.1").double == 0.1)
        #expect(try number("-1.5e300").double == -1.5e300)
        #expect(try number("1e999999999").double == .infinity)
        #expect(try number("-1e999999999999999999").double == -.infinity)
        #expect(try number("1e-999999999999999999").double == 0)
        #expect(try number("-0").double.sign == .minus)
        #expect(try number("0." + String(repeating: "3", count: 100_000)).double == 1.0 / 3)
        #expect(try number(String(repeating: "9", count: 100_000)).double == .infinity)
    }

    @Test func `Swift numbers become JSON numbers`() {
        #expect(JSONNumber(Int.min).text == "-9223372036854775808")
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
        #expect(JSONNumber(UInt8(7)) == 7)
        for double in [0.1, 1e300, -Double.leastNonzeroMagnitude, 0] {
            #expect(JSONNumber(double)?.text == "\(double)")
            #expect(JSONNumber(double)?.double == double)
        }
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
    }

    @Test(arguments: [
        ("0.0075", "0.0001", true), ("0.00751", "0.0001", false), ("4.5", "1.5", true), ("35", "1.5", false),
        ("12391239123", "1e-8", true), ("1e308", "0.123456789", false), ("0", "7", true), ("7", "0", false),
        ("0", "0", true),
        ("-9", "3", true), ("9", "-3", true), ("-9223372036854775808", "-1", true), ("1e999999999", "1024", true),
        ("1e999999999", "3", false), ("3e999999999999999999", "1.5", true), ("1", "1e999999999", false),
        ("1e999999999", "1e-999999999", true), ("1e25", "9765625e17", false), ("1e27", "9765625e17", true),
        ("1.5", "1.5", true),
        ("123456789012345678901234567890", "12345678901234567890123456789", true),
        ("123456789012345678901234567891", "12345678901234567890123456789", false),
        ("1e100", "1267650600228229401496703205376", true), ("1e99", "1267650600228229401496703205376", false),
        ("1e29", "1267650600228229401496703205376", false), ("3", "1267650600228229401496703205376", false),
        ("1e999999999", "1000000000000000000000000000003", false),
    ])
    func `multiples are exact`(_ value: String, _ divisor: String, _ isMultiple: Bool) throws {
        #expect(try number(value).isMultiple(of: number(divisor)) == isMultiple)
    }

    @Test func `huge exponents are quick`() throws {
        let clock = ContinuousClock()
        let huge = try number("123e999999999999999990")
        let tiny = try number("-123.5e-999999999999999990")

        let duration = clock.measure {
            for _ in 0..<1000 {
                #expect(huge > tiny && huge != tiny && huge.int64 == nil && huge.double == .infinity)
                #expect(huge.isMultiple(of: 7) == false && huge.isMultiple(of: tiny) == false)
                #expect(Set([huge, tiny]).count == 2)
            }
        }

        #expect(duration < .seconds(5))
    }
}
