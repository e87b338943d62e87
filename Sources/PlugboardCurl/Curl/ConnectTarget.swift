import CPlugboardCurl

/// Where a handle connects to instead of the URL's host and port, and the lists that tell libcurl so.
struct ConnectTarget: ~Copyable {
    private var target: String?
    private var targets: UnsafeMutablePointer<curl_slist>?
    /// The addresses of a target that has several.
    private var addresses: UnsafeMutablePointer<curl_slist>?

    /// - Parameter wanted: `host:port`, in which the host can be several addresses with commas between them.
    mutating func set(_ wanted: String?, for easy: UnsafeMutableRawPointer) {
        guard wanted != target else { return }
        var (name, entry) = (wanted, nil as String?)
        if let wanted, wanted.utf8.contains(UInt8(ascii: ",")), let colon = wanted.lastIndex(of: ":") {
            // A name of its own, which no other request means, because libcurl keeps the addresses of a name.
            let host = String(wanted[..<colon].map { "[]:".contains($0) ? "_" : $0 })
            (name, entry) = (host + wanted[colon...], "\(host)\(wanted[colon...]):\(wanted[..<colon])")
        }
        let (newTargets, newAddresses) = (ConnectTarget.list(name.map { "::\($0)" }), ConnectTarget.list(entry))
        ccurl_set_list(easy, CURLOPT_CONNECT_TO, newTargets)
        ccurl_set_list(easy, CURLOPT_RESOLVE, newAddresses)
        free()
        (target, targets, addresses) = (wanted, newTargets, newAddresses)
    }

    private static func list(_ entry: String?) -> UnsafeMutablePointer<curl_slist>? {
        entry.map { curl_slist_append(nil, $0) } ?? nil
    }

    private func free() {
        curl_slist_free_all(targets)
        curl_slist_free_all(addresses)
    }

    deinit { free() }
}
