import PlugboardBorder

/// A head that stands by itself: of a sub-response or an event, or trailer fields.
final class HeadNode: OpaqueNode {
    private let own: ResponseHead?
    /// The head of an event, as long as the event.
    var shown: UnsafePointer<ResponseHead>?

    init(_ head: ResponseHead? = nil) { own = head }

    var status: Int { shown?.pointee.status ?? own?.status ?? 0 }

    @inline(__always)
    func withFields<Result>(_ look: (borrowing Fields) -> Result) -> Result {
        if let shown { return look(shown.pointee.fields) }
        return look(own?.fields ?? Fields())
    }
}
