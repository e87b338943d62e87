/// What a request's `Cache-Control` and `Pragma` say (RFC 9111 §5.2.1, §5.4, RFC 5861 §4).
struct RequestDirectives: Sendable, Equatable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    var maxAge: Duration?
    var minFresh: Duration?
    var maxStale: Duration?
    var staleIfError: Duration?
}
