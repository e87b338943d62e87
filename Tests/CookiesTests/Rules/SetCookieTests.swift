import TestSupport
import Testing

@testable import PlugboardCookies

/// RFC 6265bis §5.6, step by step.
struct SetCookieTests {
    @Test(
        arguments: [
            // Step 2: the pair ends at the first semicolon, quotes or not.
            ("a=b; c", "a", "b"), ("a=\"b;c\"", "a", "\"b"), ("a=b;", "a", "b"),
            // Step 3: without an equals sign everything is the value; the first one separates.
            ("a", "", "a"), ("=a", "", "a"), ("a=", "a", ""), ("a=b=c", "a", "b=c"), ("==a", "", "=a"),
            // Step 4: blanks and tabs around name and value are removed; those within stay.
            (" a = b ", "a", "b"), ("\ta\t=\tb\t", "a", "b"), ("a b=c d", "a b", "c d"), ("a=b\tc", "a", "b\tc"),
            // An empty cookie is refused later, by the jar.
            ("", "", ""), ("=", "", ""), (";a=b", "", ""), ("  ", "", ""),
            // Commas and non-ASCII bytes are allowed.
            ("a=b, c=d", "a", "b, c=d"), ("a=\u{E9}\u{FF}", "a", "\u{E9}\u{FF}"),
        ] as [(String, String, String)])
    func `name and value precede the first semicolon`(
        field: String, name: String, value: String
    ) throws {
        let cookie = try SetCookie([UInt8](latin1: field))

        #expect(String(latin1: cookie.name) == name)
        #expect(String(latin1: cookie.value) == value)
    }

    @Test(arguments: 0...255 as ClosedRange<UInt8>)
    func `a control character other than the tab is refused at any position (step 1)`(byte: UInt8) {
        let isControl = byte < 0x20 && byte != 0x09 || byte == 0x7F
        let fields = ["a\u{0}b=c", "a=b\u{0}c", "a=b; Path=/\u{0}c", "a=b; c\u{0}d", "\u{0}a=b", "a=b\u{0}"]

        for field in fields {
            let bytes = field.utf8.map { $0 == 0 ? byte : $0 }
            #expect((refusal(of: bytes) == .controlCharacter) == isControl)
        }
    }

    @Test(
        arguments: [(1, 4095), (4096, 0), (0, 4096), (1, 4096), (4097, 0), (0, 4097), (1, 1_000_000)] as [(Int, Int)])
    func `name and value have 4096 octets at most, without the equals sign and blanks (step 5)`(
        name: Int, value: Int
    ) {
        let pair = [UInt8](repeating: 0x61, count: name) + Array(" = ".utf8) + [UInt8](repeating: 0xFF, count: value)

        #expect(refusal(of: pair) == (name + value > 4096 ? .tooLong : nil))
    }

    @Test func `an attribute whose value has more than 1024 octets is ignored (step 6 of the attributes)`() throws {
        let path = "/" + String(repeating: "p", count: 1023)
        let domain = String(repeating: "d", count: 1024)

        let kept = try SetCookie(Array("a=b; Path=\(path); Domain=\(domain)".utf8))
        let cut = try SetCookie(
            Array("a=b; Path=/short; Path=\(path)p; Domain=short; Domain=\(domain)d; Secure=\(domain)d".utf8))

        #expect(kept.path?.count == 1024 && kept.domain?.count == 1024)
        #expect(cut.path == Array("/short".utf8) && cut.domain == Array("short".utf8))
        #expect(!cut.isSecure)
    }

    @Test(
        arguments: [
            ("0", 0), ("10", 10), ("-1", -1), ("-0", 0), ("007", 7), ("", nil), ("-", nil), ("+1", nil), ("1.5", nil),
            ("1 0", nil), ("ten", nil), ("--1", nil), ("\"10\"", nil), ("10,", nil),
            ("9223372036854775807", .max), ("9223372036854775808", .max), ("-9223372036854775809", .min),
            ("99999999999999999999999999", .max), ("-99999999999999999999999999", .min),
        ] as [(String, Int64?)])
    func `Max-Age is an optional minus sign and digits (§5.6.2)`(text: String, seconds: Int64?) throws {
        #expect(try SetCookie(Array("a=b; Max-Age=\(text)".utf8)).maxAge == seconds)
        // An invalid value leaves an earlier one in effect.
        #expect(try SetCookie(Array("a=b; max-age=5; MAX-AGE = \(text)".utf8)).maxAge == seconds ?? 5)
    }

    @Test(
        arguments: [
            ("Domain=example.com", "example.com"), ("Domain=.example.com", "example.com"),
            ("Domain=..example.com", ".example.com"), ("Domain=EXAMPLE.Com", "example.com"), ("Domain=", ""),
            ("Domain=.", ""), ("Domain", ""), ("Domain=a.com; Domain=", ""), ("Domain=; Domain=a.com", "a.com"),
            ("Domain=a.com:80", "a.com:80"), ("Path=/", nil),
        ] as [(String, String?)])
    func `Domain loses its first dot and its upper case, and the last one counts (§5.6.3)`(
        attributes: String, domain: String?
    ) throws {
        #expect(try SetCookie(Array("a=b; \(attributes)".utf8)).domain == domain.map { Array($0.utf8) })
    }

    @Test(
        arguments: [
            ("Path=/a", "/a"), ("Path= /a ", "/a"), ("Path=/A%20b?c#d", "/A%20b?c#d"), ("Path=a", ""), ("Path=", ""),
            ("Path", ""), ("Path=\"/a\"", ""), ("Path=/a; Path=b", ""), ("Path=b; path=/a", "/a"), ("Secure", nil),
        ] as [(String, String?)])
    func `Path without a slash at its start means the default path, and the last one counts (§5.6.4)`(
        attributes: String, path: String?
    ) throws {
        #expect(try SetCookie(Array("a=b; \(attributes)".utf8)).path == path.map { Array($0.utf8) })
    }

    @Test(
        arguments: [
            ("Secure", true, false), ("sEcUrE=false", true, false), (" Secure ", true, false),
            ("HttpOnly", false, true),
            ("httponly = x;secure", true, true), ("\"Secure\"", false, false), ("Secure HttpOnly", false, false),
            ("; ;;=;=Secure", false, false), ("Secured", false, false),
        ] as [(String, Bool, Bool)])
    func `Secure and HttpOnly count with any value (§5.6.5, §5.6.6)`(
        attributes: String, isSecure: Bool, isHTTPOnly: Bool
    ) throws {
        let cookie = try SetCookie(Array("a=b; \(attributes)".utf8))

        #expect(cookie.isSecure == isSecure && cookie.isHTTPOnly == isHTTPOnly)
    }

    @Test(
        arguments: [
            ("SameSite=Strict", .strict), ("samesite=LAX", .lax), ("SameSite=None", .none), ("SameSite", .unset),
            ("SameSite=Default", .unset), ("SameSite=Strictly", .unset), ("SameSite=Lax; SameSite=x", .unset),
            ("Secure", .unset),
        ] as [(String, SameSite)])
    func `SameSite has three known values, and the last one counts (§5.6.7)`(
        attributes: String, sameSite: SameSite
    ) throws {
        #expect(try SetCookie(Array("a=b; \(attributes)".utf8)).sameSite == sameSite)
    }

    @Test func `the last valid Expires counts (§5.6.1)`() throws {
        let cookie = try SetCookie(
            Array("a=b; Expires=Sat, 01 Jan 2000 00:00:00 GMT; expires=Thu, 02 Jan 2020 00:00:00 GMT; Expires=x".utf8))

        #expect(cookie.expires == 1_577_923_200)
    }

    @Test func `random bytes do not trap, and a parsed cookie parses to the same again`() throws {
        var random = SeededRandom(seed: 6265)
        let pieces = [
            "a", "=", ";", " ", "\t", ",", "\"", "\u{0}", "\u{7F}", "é", "Path", "Domain", "Expires", "Max-Age",
            "Secure",
            "HttpOnly", "SameSite", "__Host-", "/", ".", "-", "1", "99999999999", "Wed, 21 Oct 2015 07:28:00 GMT",
            "example.com", "None",
        ]
        var kept = 0
        for _ in 0..<20_000 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0...14, using: &random) {
                let isText = Int.random(in: 0..<8, using: &random) > 0
                bytes +=
                    isText
                    ? Array(pieces.randomElement(using: &random)!.utf8) : [UInt8.random(in: 0...255, using: &random)]
            }

            guard let cookie = try? SetCookie(bytes) else { continue }
            let again = try SetCookie(cookie.name + [UInt8(ascii: "=")] + cookie.value)

            kept += 1
            #expect(again.name == cookie.name && again.value == cookie.value)
            #expect(!(cookie.name + cookie.value).contains(UInt8(ascii: ";")))
        }
        #expect(kept > 5000)
    }

    private func refusal(of bytes: [UInt8]) -> Refusal? {
        do throws(Refusal) {
            _ = try SetCookie(bytes)
            return nil
        } catch {
            return error
        }
    }
}
