import CPlugboardCurl

/// Where a handle connects to instead of the URL's host and port, and the list that tells libcurl so.
struct ConnectTarget: ~Copyable {
    private var target: String?
    private var list: UnsafeMutablePointer<curl_slist>?

    /// - Parameter wanted: `host:port`.
    mutating func set(_ wanted: String?, for easy: UnsafeMutableRawPointer) {
        guard wanted != target else { return }
        let new = wanted.map { curl_slist_append(nil, "::\($0)") } ?? nil
        ccurl_set_list(easy, CURLOPT_CONNECT_TO, new)
        curl_slist_free_all(list)
        (target, list) = (wanted, new)
    }

    deinit { curl_slist_free_all(list) }
}
