import Foundation

/// A certificate authority for tests and the certificates that it has signed, made with the `openssl` command.
///
/// Nothing here is secret or outlives the process: keys are made at run time, in a folder that is removed at the end.
package final class CertificateAuthority: Sendable {
    /// A certificate and its key, as paths of PEM files.
    package struct Identity: Sendable {
        package let certificate: String
        package let key: String
        /// The pin of its public key for libcurl: `sha256//` and the hash of SubjectPublicKeyInfo in base 64.
        package let pin: String
    }

    /// The authority's own certificate, which clients must trust.
    package var certificate: String { authority.certificate }
    package let authority: Identity
    /// A signed and valid certificate for localhost, 127.0.0.1, good.test and *.good.test.
    package let server: Identity
    /// A signed certificate for the same names that expired in 2020.
    package let expired: Identity
    /// A signed certificate with localhost only in the common name.
    package let nameless: Identity
    /// A signed certificate with 127.0.0.1 only in the common name.
    package let namelessAddress: Identity
    /// A self-signed certificate for the same names.
    package let selfSigned: Identity
    /// A signed client certificate with the subject CN=client.
    package let client: Identity
    private let folder: TemporaryFolder

    /// The authority of this process, which is made at the first call.
    package static func shared() throws -> CertificateAuthority { try made.get() }

    private static let made = Result {
        let made = try CertificateAuthority()
        made.folder.removeAtExit()
        return made
    }

    package init() throws {
        folder = try TemporaryFolder("certificates")
        try folder.write("openssl.conf", CertificateAuthority.configuration(folder.path))
        try folder.write("index.txt", "")
        try folder.write("serial", "1000\n")

        authority = try CertificateAuthority.selfSigned("authority", "Plugboard Tests", in: folder)
        selfSigned = try CertificateAuthority.selfSigned("server", "localhost", in: folder, file: "self-signed")
        server = try CertificateAuthority.signed("server", "localhost", in: folder)
        expired = try CertificateAuthority.signed(
            "server", "localhost", in: folder, file: "expired", dates: ("20200101000000Z", "20200201000000Z"))
        client = try CertificateAuthority.signed("client", "client", in: folder)
        nameless = try CertificateAuthority.signed("nameless", "localhost", in: folder)
        namelessAddress = try CertificateAuthority.signed(
            "nameless", "127.0.0.1", in: folder, file: "nameless-address")
    }

    private static func selfSigned(
        _ extensions: String, _ name: String, in folder: TemporaryFolder, file: String? = nil
    ) throws -> Identity {
        let file = file ?? extensions
        try ProcessRunner.output(
            of: ["openssl", "req", "-x509", "-days", "30", "-extensions", extensions, "-out", "\(file).pem"]
                + request(name, key: file),
            folder: folder.path)
        return try identity(file, in: folder)
    }

    private static func signed(
        _ extensions: String, _ name: String, in folder: TemporaryFolder, file: String? = nil,
        dates: (from: String, to: String)? = nil
    ) throws -> Identity {
        let file = file ?? extensions
        try ProcessRunner.output(
            of: ["openssl", "req", "-new", "-out", "\(file).csr"] + request(name, key: file), folder: folder.path)
        let lifetime = dates.map { ["-startdate", $0.from, "-enddate", $0.to] } ?? ["-days", "30"]
        try ProcessRunner.output(
            of: [
                "openssl", "ca", "-batch", "-notext", "-config", "openssl.conf", "-extensions", extensions,
                "-in", "\(file).csr", "-out", "\(file).pem",
            ] + lifetime,
            folder: folder.path)
        return try identity(file, in: folder)
    }

    private static func request(_ name: String, key: String) -> [String] {
        [
            "-config", "openssl.conf", "-subj", "/CN=\(name)", "-nodes", "-keyout", "\(key).key",
            "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        ]
    }

    private static func identity(_ file: String, in folder: TemporaryFolder) throws -> Identity {
        let pipeline = """
            openssl x509 -in \(file).pem -pubkey -noout | openssl pkey -pubin -outform der \
            | openssl dgst -sha256 -binary | openssl base64 -A
            """
        let hash = try ProcessRunner.output(of: ["sh", "-c", pipeline], folder: folder.path)
        return Identity(
            certificate: folder.file("\(file).pem"), key: folder.file("\(file).key"), pin: "sha256//\(hash)")
    }

    private static func configuration(_ path: String) -> String {
        """
        [req]
        distinguished_name = name
        [name]
        [ca]
        default_ca = tests
        [tests]
        database = \(path)/index.txt
        serial = \(path)/serial
        new_certs_dir = \(path)
        certificate = \(path)/authority.pem
        private_key = \(path)/authority.key
        default_md = sha256
        policy = any
        unique_subject = no
        [any]
        commonName = supplied
        [authority]
        basicConstraints = critical, CA:TRUE
        keyUsage = critical, keyCertSign, cRLSign
        subjectKeyIdentifier = hash
        [server]
        basicConstraints = CA:FALSE
        keyUsage = digitalSignature
        extendedKeyUsage = serverAuth
        subjectAltName = DNS:localhost, IP:127.0.0.1, DNS:good.test, DNS:*.good.test
        [nameless]
        basicConstraints = CA:FALSE
        keyUsage = digitalSignature
        extendedKeyUsage = serverAuth
        [client]
        basicConstraints = CA:FALSE
        keyUsage = digitalSignature
        extendedKeyUsage = clientAuth
        """
    }
}
