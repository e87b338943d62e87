import PlugboardMessages
import Testing

@Suite struct RequestOptionsValidityTests {
    private static let pin = "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    private func error(_ change: (inout RequestOptions) -> Void) -> PlugboardError? {
        var options = RequestOptions()
        change(&options)
        return options.error
    }

    @Test func `valid options have no error`() {
        #expect(RequestOptions().error == nil)
        for proxy in ["", "http://proxy:3128", "HTTPS://me:p@w@proxy:1/", "socks5h://[::1]:1080", "socks4a://10.0.0.1"]
        {
            #expect(error { $0.proxy = proxy } == nil, "\(proxy)")
        }
        #expect(error { $0.tls.pins = [Self.pin] } == nil)
        #expect(error { $0.tls.pins = [Self.pin, Self.pin] } == nil)
        #expect(error { $0.connectTo = ["example.com:443": "[::1]:8443"] } == nil)
        #expect(error { $0.noProxy = "" } == nil)
        #expect(error { $0.noProxy = "*, a.test .b.test,,[::1]:81 10.0.0.0/8" } == nil)
        #expect(error { $0.timeout = .zero } == nil)
        #expect(error { $0.tls.ca = "/a b/c.pem" } == nil)
    }

    @Test(arguments: [
        "ftp://proxy", "proxy:3128", "http://", "http://:80", "http://proxy:x", "http://a b", "http:proxy",
    ])
    func `a proxy of another form is refused, and not quoted`(proxy: String) {
        let error = error { $0.proxy = proxy }

        #expect(error?.code == .requestOption)
        let wanted = "The request's option proxy must be a URL like http://host:port (http, https,"
        #expect(error?.reason.hasPrefix(wanted) == true)
    }

    @Test(arguments: [
        "10.0.0.0/33", "fd00::/129", "169.254/16", "a.test, b.test:x", "a.test:70000", "http://a.test", "a\u{0}",
    ])
    func `an entry of noProxy that no host can match is refused`(list: String) {
        #expect(error { $0.noProxy = list }?.reason.contains("option noProxy must be hosts, addresses or") == true)
    }

    @Test(arguments: [
        "", "sha256//AAAA=", "sha1//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=", "\(pin);\(pin)", "\(pin) ",
        "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB=",
        "sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA-=",
    ])
    func `pins that are not the base64 of 32 bytes are refused`(pin: String) {
        let error = error { $0.tls.pins = [Self.pin, pin] }

        #expect(error?.reason.contains("option tls.pins must be a list of sha256// and the 44 characters") == true)
    }

    @Test(arguments: [("example.com", "a:1"), ("example.com:443", "b"), ("example.com:443", "b:0"), ("a:99999", "b:1")])
    func `an entry of connectTo that is not host:port for host:port is refused, and quoted`(
        host: String, target: String
    ) {
        let error = error { $0.connectTo = [host: target] }

        let wanted = "The request's option connectTo[\"\(host)\"] must be host:port for host:port"
        #expect(error?.reason.hasPrefix(wanted) == true)
    }

    @Test func `negative times, an empty list of pins, and control characters are refused`() {
        #expect(error { $0.timeout = .seconds(-1) }?.reason.contains("option timeout must not be negative") == true)
        #expect(error { $0.connectTimeout = .seconds(-1) }?.reason.contains("connectTimeout") == true)
        #expect(error { $0.idleTimeout = .seconds(-1) }?.reason.contains("idleTimeout") == true)
        #expect(error { $0.attemptTimeout = .seconds(-1) }?.reason.contains("attemptTimeout") == true)
        #expect(error { $0.tls.pins = [] }?.reason.contains("tls.pins must be a list") == true)
        #expect(error { $0.tls.ca = "/a\u{0}b" }?.reason.contains("tls.ca must not hold control characters") == true)
        #expect(error { $0.interface = "eth0\n" }?.reason.contains("interface") == true)
    }
}
