import Foundation

/// The resources of `NginxServer`, which are the same on each of its ports:
///
/// | path | response |
/// |---|---|
/// | `/hundred.txt` | 100 bytes, the letters from a to z over and over; ranges, ETag, Last-Modified, as all files |
/// | `/text.txt`, `/data.json`, `/data.bin` | files of 64 KiB, a few bytes and 1 MiB |
/// | `/whole/…` | the same files without ranges |
/// | `/gzip/…` | the same files, compressed for clients that accept it |
/// | `/slow/…` | the same files at 100 KiB a second |
/// | `/cached/…` | the same files with `Cache-Control: max-age=60` |
/// | `/private/…` | the same files for `user:secret` (Basic) |
/// | `/store/…` | PUT, GET and DELETE of files |
/// | `/echo` | method, target, version and the usual fields of the request, one a line |
/// | `/connection` | the connection's number and how many requests it has carried |
/// | `/close` | a response after which the connection is closed |
/// | `/redirect/N` | N redirects (302, up to 60), then `/redirect/0`: "arrived" |
/// | `/moved/CODE` | a redirect by 301, 302, 303, 307 or 308 to `/echo` |
/// | `/loop` | a redirect to itself |
/// | `/status/CODE` | that status, from 200 to 599, but the redirects and 444 |
enum NginxConfiguration {
    static func writeFiles(in folder: TemporaryFolder) throws {
        let line = "The quick brown fox jumps over the lazy dog, again and again."
        try folder.write("files/hundred.txt", Script.letters(100))
        try folder.write("files/text.txt", String(repeating: line + "\n", count: 65_536 / 62 + 1).prefix(65_536).utf8)
        try folder.write("files/data.json", #"{"name": "plugboard", "list": [1, 2, 3]}"#)
        try folder.write("files/data.bin", (0..<1_048_576).lazy.map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) })
        try folder.write("store/.keep", "")
        try folder.write("passwords", "user:{PLAIN}secret\n")
        try folder.write("locations.conf", locations)
    }

    static func text(folder: String, ports: [NginxServer.Door: Int], authority: CertificateAuthority) -> String {
        let servers = NginxServer.Door.allCases.map { server($0, port: ports[$0] ?? 0, authority: authority) }
        return """
            daemon off;
            master_process off;
            pid \(folder)/nginx.pid;
            error_log \(folder)/error.log notice;
            events { worker_connections 4096; }
            http {
                include /etc/nginx/mime.types;
                default_type application/octet-stream;
                access_log off;
                server_tokens off;
                absolute_redirect off;
                keepalive_requests 1000000;
                keepalive_timeout 300s;
                client_max_body_size 0;
                client_body_temp_path \(folder)/temporary-body;
                proxy_temp_path \(folder)/temporary-proxy;
                fastcgi_temp_path \(folder)/temporary-fastcgi;
                uwsgi_temp_path \(folder)/temporary-uwsgi;
                scgi_temp_path \(folder)/temporary-scgi;
                \(servers.joined(separator: "\n    "))
            }
            """
    }

    private static func server(_ door: NginxServer.Door, port: Int, authority: CertificateAuthority) -> String {
        let identity =
            switch door {
            case .tlsExpired: authority.expired
            case .tlsSelfSigned: authority.selfSigned
            default: authority.server
            }
        let options =
            switch door {
            case .plain: ""
            case .plainHTTP2: " http2"
            case .tlsHTTP1: " ssl"
            default: " ssl http2"
            }
        var lines = ["listen 127.0.0.1:\(port)\(options);", "include locations.conf;"]
        if door.isSecure {
            lines += ["ssl_certificate \(identity.certificate);", "ssl_certificate_key \(identity.key);"]
        }
        if door == .tlsClientCertificate {
            lines += ["ssl_client_certificate \(authority.certificate);", "ssl_verify_client on;"]
        }
        return "server { \(lines.joined(separator: " ")) }"
    }

    private static let locations: String = {
        let redirects = (1...60).map { "location = /redirect/\($0) { return 302 /redirect/\($0 - 1); }" }
        let movedCodes = [301, 302, 303, 307, 308]
        let moved = movedCodes.map { "location = /moved/\($0) { return \($0) /echo; }" }
        // 444 makes nginx close without a response; tests use the scripted server for that.
        let statuses = (200...599).filter { !movedCodes.contains($0) && $0 != 444 }
            .map { #"location = /status/\#($0) { return \#($0) "status \#($0)\n"; }"# }
        let copies = [
            "whole": "max_ranges 0;",
            "gzip": "gzip on; gzip_min_length 64; gzip_types text/plain application/json; gzip_vary on;",
            "slow": "limit_rate 100k;",
            "cached": "expires 60s;",
            "private": "auth_basic tests; auth_basic_user_file passwords;",
        ].sorted { $0.key < $1.key }.map { "location /\($0.key)/ { alias files/; \($0.value) }" }
        let fields = [
            "Accept", "Accept-Encoding", "Authorization", "Content-Length", "Content-Type", "Cookie", "Host",
            "Range", "User-Agent", "X-Test",
        ].map { "\($0): $http_\($0.lowercased().replacingOccurrences(of: "-", with: "_"))\\n" }
        return """
            root files;
            location = /echo {
                default_type text/plain;
                return 200 "$request_method $request_uri $server_protocol\\n\(fields.joined())TLS: $ssl_protocol\\n\
            Client: $ssl_client_s_dn\\n";
            }
            location = /connection { default_type text/plain; return 200 "$connection $connection_requests\\n"; }
            location = /close { default_type text/plain; keepalive_timeout 0; return 200 "closing\\n"; }
            location /until-close/ {
                alias files/; gzip on; gzip_min_length 0; gzip_types *; chunked_transfer_encoding off;
            }
            location = /loop { return 302 /loop; }
            location = /redirect/0 { default_type text/plain; return 200 "arrived\\n"; }
            location /store/ { alias store/; dav_methods PUT DELETE; create_full_put_path on; }
            \((copies + redirects + moved + statuses).joined(separator: "\n"))
            """
    }()
}
