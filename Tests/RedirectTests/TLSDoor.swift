import Foundation
import TestSupport

/// An HTTPS port in front of a server that speaks plain HTTP: nginx hands each request on as it came, with all its
/// fields.
///
/// It ends with this object, and with this process however that ends.
final class TLSDoor: Sendable {
    let port: Int
    private let folder: TemporaryFolder
    private let process: Process
    private let standardInput: Foundation.Pipe

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
        process = Process()
        standardInput = Foundation.Pipe()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = [
            "-c", #"PATH="$PATH:/usr/sbin"; nginx -e error.log -p "$1" -c "$1/nginx.conf" & read -r _; kill -KILL $!"#,
            "sh", folder.path,
        ]
        // Or another child that is started meanwhile keeps the pipe open.
        for end in [standardInput.fileHandleForReading, standardInput.fileHandleForWriting] {
            _ = fcntl(end.fileDescriptor, F_SETFD, FD_CLOEXEC)
        }
        process.standardInput = standardInput
        process.standardError = FileHandle.nullDevice
        try process.run()
        let deadline = ContinuousClock.now + Gate.patience
        // nginx writes its number once its port is bound.
        while ((try? folder.read("nginx.pid")) ?? []).isEmpty {
            guard process.isRunning, ContinuousClock.now < deadline else {
                throw NginxError.notStarted(String(decoding: (try? folder.read("error.log")) ?? [], as: UTF8.self))
            }
            usleep(2000)
        }
    }

    deinit {
        try? standardInput.fileHandleForWriting.write(contentsOf: Data("\n".utf8))
    }
}
