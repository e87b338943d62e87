/// What a request's `Cache-Control` and `Pragma` say (RFC 9111 §5.2.1, §5.4, RFC 5861 §4).
///
/// Of a directive that comes twice the first counts. One whose argument is no number is taken as the stricter side has it: `max-age` as 0,
/// permissions as not given.
struct RequestDirectives: Sendable, Equatable {
    var noCache = false
    var noStore = false
    var onlyIfCached = false
    var maxAge: Duration?
    var minFresh: Duration?
    /// Without a number, any staleness will do.
    var maxStale: Duration?
    var staleIfError: Duration?
    /// Whether there is a `Cache-Control` at all.
    var isPresent = false

    mutating func read(_ value: UnsafeRawBufferPointer) {
        isPresent = true
        Directive.forEach(in: value) { directive in
            switch directive.name.count {
            case 7:
                if directive.name.equals("max-age") { maxAge = maxAge ?? directive.seconds ?? .zero }
            case 8:
                if directive.name.equals("no-cache") { noCache = true }
                if directive.name.equals("no-store") { noStore = true }
            case 9:
                if directive.name.equals("min-fresh") { minFresh = minFresh ?? directive.seconds }
                if directive.name.equals("max-stale") {
                    maxStale =
                        maxStale ?? (directive.argument == nil ? .seconds(deltaSecondsLimit) : directive.seconds)
                }
            case 14:
                if directive.name.equals("only-if-cached") { onlyIfCached = true }
                if directive.name.equals("stale-if-error") { staleIfError = staleIfError ?? directive.seconds }
            default: break
            }
        }
    }
}
