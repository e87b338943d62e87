import Plugboard
import Synchronization
import TestSupport

/// Three hosts, one http and two https, that send a request from one to the next:
///
///     plain /start 307▸ plain /again 307▸ secure /secure 303▸ third /third 302▸ secure /secure-again 302▸ plain /end
///
/// All listen on 127.0.0.1; `connectTo` and the authority's certificate lead requests to them.
final class Walk: Sendable {
    enum Stop: CaseIterable, Sendable {
        case plain, secure, third

        var name: String {
            switch self {
            case .plain: "plain.test"
            case .secure: "good.test"
            case .third: "third.good.test"
            }
        }
    }

    /// One request as a host received it.
    struct Hop: Equatable, CustomStringConvertible {
        var line: String
        var host: String
        var authorization: String?
        var cookie: String?
        var body: String
        /// Whether fields describe a body.
        var describesBody = false

        var description: String {
            "\(line) Host: \(host) Authorization: \(authorization ?? "-") Cookie: \(cookie ?? "-") [\(body)] "
                + (describesBody ? "described" : "")
        }
    }

    /// The ports, set after the servers have started.
    private final class Ports: Sendable {
        let ports = Mutex<[Stop: Int]>([:])
    }

    private let server: LoopbackServer
    private let door: TLSDoor
    private let authority: CertificateAuthority
    private let ports = Ports()

    init() throws {
        let authority = try CertificateAuthority.shared()
        let server = try LoopbackServer.responding { [ports] request in
            Walk.response(to: request) { stop in "\(stop.name):\(ports.ports.withLock { $0[stop] } ?? 0)" }
        }
        let door = try TLSDoor(before: server, authority: authority)
        ports.ports.withLock { $0 = [.plain: server.port, .secure: door.port, .third: door.port] }
        self.authority = authority
        self.server = server
        self.door = door
    }

    func stop() { server.stop() }

    /// Name and port, as in `Host`.
    func host(_ stop: Stop) -> String { "\(stop.name):\(ports.ports.withLock { $0[stop] } ?? 0)" }

    func url(_ stop: Stop, _ path: String) -> String {
        "\(stop == .plain ? "http" : "https")://\(host(stop))\(path)"
    }

    /// A request that can reach all three hosts, and may go from https to http.
    func request(_ method: Method, fields: Fields = Fields(), body: Body? = nil) -> Request {
        var request = Request(method, url(.plain, "/start"), fields: fields, body: body)
        request.attributes["redirect.allowDowngrade"] = "true"
        request.options.tls.ca = authority.certificate
        request.options.connectTo = Dictionary(
            uniqueKeysWithValues: Stop.allCases.map { stop in
                (host(stop), "127.0.0.1:\(ports.ports.withLock { $0[stop] } ?? 0)")
            })
        return request
    }

    /// The received requests, in order.
    var hops: [Hop] {
        server.requests.map { request in
            Hop(
                line: "\(request.method) \(request.target)", host: request["Host"] ?? "",
                authorization: request["Authorization"], cookie: request["Cookie"], body: request.text,
                describesBody: request["Content-Type"] != nil)
        }
    }

    private static func response(to request: ReceivedRequest, _ host: (Stop) -> String) -> TestSupport.ServerResponse {
        func moved(_ status: Int, _ location: String, cookie: String? = nil) -> TestSupport.ServerResponse {
            var fields = [("Location", location)]
            if let cookie { fields.append(("Set-Cookie", cookie)) }
            return ServerResponse(status: status, fields: fields, body: "moved")
        }
        switch request.target {
        case "/start": return moved(307, "/again", cookie: "plain=1")
        case "/again": return moved(307, "https://\(host(.secure))/secure")
        case "/secure": return moved(303, "//\(host(.third))/third", cookie: "secure=1; Secure")
        case "/third": return moved(302, "https://\(host(.secure))/secure-again")
        case "/secure-again": return moved(302, "http://\(host(.plain))/end")
        default: return ServerResponse(body: "arrived")
        }
    }
}
