import TestSupport

/// An HTTPS port in front of a plain HTTP server: nginx forwards each request unchanged, with all its fields.
///
/// It stops with this object.
final class TLSDoor: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let process: NginxProcess

    /// Starts nginx and returns once it listens.
    init(before server: LoopbackServer, authority: CertificateAuthority) throws {
        folder = try TemporaryFolder("door")
        port = try ClosedPort().port
        try folder.write(
            "nginx.conf",
            """
            daemon off;
            master_process off;
            pid \(folder.path)/nginx.pid;
            error_log \(folder.path)/error.log notice;
            events {}
            http {
                access_log off;
                client_body_temp_path \(folder.path)/body;
                proxy_temp_path \(folder.path)/proxy;
                fastcgi_temp_path \(folder.path)/fastcgi;
                uwsgi_temp_path \(folder.path)/uwsgi;
                scgi_temp_path \(folder.path)/scgi;
                server {
                    listen 127.0.0.1:\(port) ssl;
                    ssl_certificate \(authority.server.certificate);
                    ssl_certificate_key \(authority.server.key);
                    location / {
                        proxy_pass http://127.0.0.1:\(server.port);
                        proxy_set_header Host $http_host;
                        proxy_redirect off;
                    }
                }
            }
            """)
        process = try NginxProcess(in: folder)
    }
}
