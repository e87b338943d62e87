import ArgumentParser
import Plugboard
import PlugboardKit

/// Options of curl about the transfer itself, for the verbs that send one request.
struct TransferArguments: ParsableArguments {
    @Option(
        name: [.customShort("T"), .long],
        help: ArgumentHelp(
            "Sends a file, - for standard input, with PUT unless the verb has another method for bodies. A URL that ends "
                + "with / gets the file's name.", valueName: "file"), completion: .file())
    var uploadFile: String?
    @Flag(name: .shortAndLong, help: "Takes name and password for the host from ~/.netrc.") var netrc = false
    @Option(help: ArgumentHelp("Takes name and password from this file.", valueName: "file"), completion: .file())
    var netrcFile: String?
    @Flag(help: "Takes name and password from ~/.netrc if it has them.") var netrcOptional = false
    @Option(
        name: [.customShort("U"), .long], parsing: .unconditional,
        help: ArgumentHelp("Name and password for the proxy of -x.", valueName: "user:password"))
    var proxyUser: String?
    @Option(help: ArgumentHelp("The proxy, by SOCKS 5.", valueName: "host:port")) var socks5: String?
    @Option(help: ArgumentHelp("The proxy, by SOCKS 5, which looks names up.", valueName: "host:port"))
    var socks5Hostname: String?

    /// The method of a request with these options.
    func method(_ method: Method) -> Method {
        uploadFile != nil && ![.post, .put, .patch].contains(method) ? .put : method
    }

    func url(_ url: String) -> String { uploadFile.map { CurlURL.forUpload(of: $0, to: url) } ?? url }

    /// The same as options of curl.
    private func group(proxy: String?) -> CurlGroup {
        var group = CurlGroup()
        group.values = [
            "netrc-file": netrcFile, "proxy-user": proxyUser, "socks5": socks5, "socks5-hostname": socks5Hostname,
            "proxy": proxy,
        ].compactMapValues { $0 }
        group.flags = ["netrc": netrc, "netrc-optional": netrcOptional]
        return group
    }

    /// The request with what the options say. Fields that it has stay.
    func completed(_ request: Request) throws(CommandFailure) -> Request {
        var request = request
        if let uploadFile {
            guard request.body == nil else {
                throw CommandFailure(.usage, "A request has one body: give -T without -d, --json and the like.")
            }
            request.body = try InputArgument(path: uploadFile).body(for: "--upload-file")
        }
        let group = group(proxy: request.options.proxy)
        if let proxy = try group.proxy() { request.options.proxy = proxy }
        let host = String(URLParts(request.url)?.host ?? "")
        // --user and --oauth2-bearer are for the plugin authentication, and replace the file's.
        let isAuthenticated =
            request.fields.contains(.authorization)
            || request.attributes.values.keys.contains { $0.hasPrefix("authentication.") }
        if !isAuthenticated, let value = try CurlCredentials.field(of: group, host: host, inURL: nil) {
            request.fields.append(.authorization, value)
        }
        return request
    }
}
