extension OptionHints {
    struct Row: Sendable {
        /// The spellings, of one program or of several.
        let options: [String]
        /// A sentence that names the option to write.
        let hint: String

        init(_ options: String..., hint: String) { (self.options, self.hint) = (options, hint) }
    }

    /// No hint names an option that does more than what was asked for.
    static let table = output + bodies + authentication + connection + repetition + downloads + absent

    // MARK: What is written

    private static let output = [
        Row("--quiet", "--no-verbose", "--console-log-level", hint: "Write -s for no progress and no log."),
        Row(
            "-q", "--disable",
            hint: "Leave it out, because ~/.curlrc is not read, or write -s for no progress and no log."),
        Row("--debug", hint: "Write -v to see what is sent and what happens."),
        Row(
            "-p",
            hint: "Write --print=HBhb for parts of request and response; a proxy makes a tunnel for https alone."),
        Row("--headers", "--server-response", hint: "Write -i for the response's head too, or --print=h for it alone."),
        Row("--body", hint: "Write --print=b, which is also what is printed without it."),
        Row("--all", "--history-print", hint: "Write -L -i, which writes the heads of all responses, or -v."),
        Row("--meta", hint: "Write --timing, or -w '%{json}'."),
        Row(
            "--style", "--sorted", "--unsorted", "--format-options", "--response-mime", "--response-charset",
            hint: "Write --pretty=all, format, colors or none."),
        Row("--stream", hint: "Leave it out: what has come is written at once."),
        Row("--output-document", hint: "Write -o FILE."),
        Row(
            "-P", "--directory-prefix",
            hint: "Write --output-dir FOLDER with -o or -O, or plugboard download -o FOLDER/."),
    ]

    // MARK: What is sent

    private static let bodies = [
        Row("--post-data", hint: "Write plugboard post URL -d DATA."),
        Row("--post-file", hint: "Write plugboard post URL -d @FILE, or --data-binary @FILE for bytes."),
        Row("--body-data", hint: "Write --data-binary DATA."),
        Row("--body-file", hint: "Write --data-binary @FILE."),
        Row("--method", hint: "Write -X METHOD, or plugboard request METHOD URL."),
        Row(
            "-j",
            hint: "The data of request items is sent as JSON without it, and the cookies of a file are all read."),
        Row("-T", "--upload-file", hint: "Write plugboard upload FILE URL."),
        Row("--chunked", hint: "Write -H 'Transfer-Encoding: chunked'."),
        Row("--save-cookies", "--keep-session-cookies", hint: "Write -c FILE, which keeps cookies of the session too."),
        Row("--compression", "--http-accept-gzip", hint: "Write --compressed."),
        Row("--start-pos", hint: "Write -r 500- with the first byte."),
        Row("--spider", "--dry-run", hint: "Write plugboard head URL, or --offline to send nothing."),
    ]

    private static let authentication = [
        Row(
            "--auth", "--http-user", "--http-password", "--http-passwd", "--password", "--ask-password",
            hint: "Write -u USER:PASSWORD; a password that is left out is asked for."),
        Row("-a", hint: "Write -u USER:PASSWORD for credentials; nothing is appended to a file of a server."),
        Row("--auth-type", hint: "Write -u USER:PASSWORD for basic, or --oauth2-bearer TOKEN for bearer."),
        Row("--bearer", "--token", hint: "Write --oauth2-bearer TOKEN."),
    ]

    // MARK: The connection

    private static let connection = [
        Row(
            "--no-check-certificate", "--verify", "--check-certificate", "--no-verify",
            hint: "Write --insecure, for tests only, or --cacert FILE to trust other certificates."),
        Row("--ca-certificate", hint: "Write --cacert FILE."),
        Row("--certificate", hint: "Write -E FILE."),
        Row("--private-key", "--cert-key", hint: "Write --key FILE."),
        Row("--cert-key-pass", hint: "Write --pass PASSWORD."),
        Row("--default-scheme", "--proto-default", hint: "Write the scheme before the URL, as in https://example.com."),
        Row("--proxytunnel", hint: "Leave it out: a proxy makes a tunnel for https alone."),
        Row("--ssl", "--secure-protocol", "--min-tls-version", hint: "Write --tlsv1.2 or --tlsv1.3."),
        Row("--no-proxy", hint: "Write -x '' for no proxy, or --noproxy HOSTS."),
        Row("--all-proxy", "--http-proxy", "--https-proxy", hint: "Write -x URL."),
        Row("--inet4-only", "--disable-ipv6", hint: "Write -4."),
        Row("--inet6-only", hint: "Write -6."),
        Row("--bind-address", hint: "Write --interface ADDRESS."),
        Row("--dns-timeout", "--read-timeout", hint: "Write --connect-timeout 10s, or -m 30s for the whole exchange."),
        Row("--follow", hint: "Write -L, which follows redirects."),
        Row("--max-redirects", "--max-redirect", hint: "Write -L --max-redirs NUMBER."),
    ]

    private static let repetition = [
        Row("-t", "--tries", "--max-tries", hint: "Write --retry NUMBER, the repetitions after the first attempt."),
        Row("--waitretry", "--retry-wait", hint: "Write --retry-delay 5s."),
    ]

    // MARK: Downloads

    private static let downloads = [
        Row("-C", "--continue-at", "--continue", hint: "plugboard download URL --resume continues a download."),
        Row(
            "-J", "--remote-header-name", "--remove-on-error",
            hint: "plugboard download URL names the file as the server does, and leaves no file that is not complete."),
        Row("--download", "--content-disposition", hint: "plugboard download URL names the file as the server does."),
        Row("--no-clobber", hint: "plugboard download URL never replaces a file without --overwrite."),
        Row(
            "--timestamping", "--conditional-get",
            hint: "plugboard download URL --resume keeps a file that is the same."),
        Row("--input-file", hint: "plugboard download --input-file FILE downloads a list of URLs."),
        Row("--split", "--max-connection-per-server", hint: "plugboard download URL --segments NUMBER."),
        Row("--min-split-size", hint: "Leave it out: the parts of --segments have at least 1 MiB."),
        Row(
            "--max-concurrent-downloads",
            hint: "plugboard download --parallel NUMBER downloads so many files at a time."),
        Row("--max-overall-download-limit", hint: "Write --limit-rate 500KiB, which is the limit of each file."),
        Row("--check-integrity", hint: "plugboard download URL --checksum sha-256=VALUE."),
        Row("--dir", hint: "plugboard download URL -o FOLDER/."),
        Row("--metalink-file", hint: "plugboard download --metalink FILE."),
        Row("--show-progress", hint: "Leave it out: a terminal gets the progress."),
        Row("--summary-interval", hint: "plugboard download --progress json tells programs about it."),
    ]

    // MARK: What is not done

    private static let absent = [
        Row(
            "--recursive", "--page-requisites", "--convert-links", "--no-parent",
            hint: "Pages are not read for links."),
        Row("--background", "--enable-rpc", "--daemon", hint: "The command stays in the foreground: write & after it."),
        Row("--torrent-file", "--seed-time", "--bt-max-peers", hint: "BitTorrent is not supported."),
        Row("--file-allocation", hint: "Leave it out: a file grows with what has come."),
    ]
}
