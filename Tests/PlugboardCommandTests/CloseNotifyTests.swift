import TestSupport
import Testing

/// `kernel.tls.closeNotify` of a configuration.
struct CloseNotifyTests {
    /// A TLS server that ends connections without close_notify: Python's `close` sends none.
    private static let abrupt = """
        import socket, ssl, sys
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[1], sys.argv[2])
        listener = socket.create_server(("127.0.0.1", 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection = context.wrap_socket(listener.accept()[0], server_side=True)
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\\r\\n\\r\\nbody")
            connection.close()
        """

    @Test(.timeLimit(.minutes(1)), arguments: [nil, true, false] as [Bool?])
    func `the configuration decides on a TLS connection that ends without close_notify`(isDemanded: Bool?) async throws
    {
        let authority = try CertificateAuthority.shared()
        let folder = try TemporaryFolder()
        let tls = isDemanded.map { #""closeNotify": \#($0)"# } ?? ""
        let file = try folder.write("plugboard.json", #"{"kernel": {"tls": {\#(tls)}}}"#)

        let outcome = try await Command.shell(
            #"""
            mkfifo "$folder/port"
            python3 -c "$abrupt" "$certificate" "$key" > "$folder/port" & server=$!
            read -r port < "$folder/port"
            "$plugboard" get "https://127.0.0.1:$port/" --cacert "$authority" --config "$file"
            status=$?
            kill -KILL $server
            exit $status
            """#,
            [
                "abrupt": Self.abrupt, "folder": folder.path, "file": file, "authority": authority.certificate,
                "certificate": authority.server.certificate, "key": authority.server.key,
            ])

        // With another TLS library than OpenSSL, the version says that it cannot be told.
        let isTold = try await !Command.run("--version").stdout.contains("close_notify")
        let isCut = isTold && isDemanded != false
        #expect(outcome.status == (isCut ? 18 : 0) && outcome.stdout == "body", "\(outcome.stderr)")
        #expect(outcome.stderr.contains("set kernel.tls.closeNotify to false in the configuration") == isCut)
    }
}
