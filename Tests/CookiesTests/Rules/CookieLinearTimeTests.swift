import TestSupport
import Testing

@testable import PlugboardCookies

struct CookieLinearTimeTests {
    @Test(arguments: nastyShapes.indices)
    func `a Set-Cookie of any shape is parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        for start in ["", "a=b; ", "a=b; Expires=", "a=b; Domain=", "a=b; Path="] {
            expectLinearTime("\(start)\(kind)", size: 4000, input: { Array((start + make($0)).utf8) }) { text in
                _ = try? SetCookie(text)
                _ = CookieDate(text)
            }
        }
    }

    @Test(arguments: [(1_000_000, 1_000_000), (180, 3000), (1_000_000, 3000)])
    func `a file of many cookies of one domain is loaded in linear time, and again`(perDomain: Int, total: Int) {
        expectLinearTime("cookies of a file", size: 3000) { count in
            (0..<count).map { number in
                let id = Cookie.ID(domain: "b.test", isHostOnly: false, path: [0x2F], name: Array("n\(number)".utf8))
                return Cookie(
                    id: id, value: [], expires: .seconds(60), isSecure: true, created: Int64(number),
                    accessed: Int64(number))
            }
        } read: { cookies in
            var jar = Jar(limits: Jar.Limits(perDomain: perDomain, total: total))
            for _ in 1...2 { jar.load(cookies, now: .zero) }
        }
    }

    /// The first head fills the jar with secure cookies; those of the second must not hide one.
    @Test(arguments: ["", "; Secure", "; Domain=b.test", "; Expires=Thu, 01 Jan 1970 00:00:00 GMT", "; Max-Age=9"])
    func `a head of many cookies is stored in linear time, also with many secure ones`(attributes: String) throws {
        let secure = try #require(RequestURI("https://a.b.test/"))
        let plain = try #require(RequestURI("http://a.b.test/"))
        expectLinearTime("cookies\(attributes)", size: 2000) { count in
            (0..<count).map { Array("n\($0 % 180)=v\(attributes)".utf8) }
        } read: { fields in
            var jar = Jar()
            for (uri, end) in [(secure, "; Secure"), (plain, "")] {
                var tally = Tally(evictions: 0)
                for field in fields {
                    (field + Array(end.utf8)).withUnsafeBytes { bytes in
                        tally.add(bytes) { field throws(Refusal) in try jar.receive(field, from: uri, now: .zero) }
                    }
                }
            }
        }
    }
}
