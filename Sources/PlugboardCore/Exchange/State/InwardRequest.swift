import PlugboardBorder

/// The request of one exchange: as it is now, and as the plugins further out saw it.
///
/// Nothing here calls a plugin: bodies that are no longer needed are returned, and the caller releases them.
struct InwardRequest {
    var head: Request
    /// The body as the pipeline sees it; plugins wrap it.
    var body: BodyNode?
    /// The request before the first edit of each slot that edited it, outermost first.
    private var versions: [Version] = []
    /// The request before the edits of the outward hook that runs. They count only if it resends.
    private var beforeEdit: Version?
    /// The URL before the edits of the last resend.
    private(set) var urlBeforeResend: String?

    fileprivate struct Version {
        let slot: Int
        let head: Request
        var body: BodyNode?
    }

    /// The request at one moment, for `goBack`.
    struct Snapshot {
        let head: Request
        var body: BodyNode?
        fileprivate let versionCount: Int
        fileprivate let beforeEdit: Version?
        fileprivate let urlBeforeResend: String?
    }

    init(_ head: consuming Request) { self.head = head }

    /// Whether an outward hook has edited it.
    var isEditedOutward: Bool { beforeEdit != nil }

    /// Called before the plugin in this slot edits the request on the way inward. Keeps it for the plugins further out,
    /// which must see it unedited.
    ///
    /// - Parameter body: The body before the edit: the plugin may have taken it.
    mutating func willEdit(at slot: Int, body: BodyNode?) {
        guard isUnedited(from: slot) else { return }
        versions.append(Version(slot: slot, head: head, body: body))
    }

    private func isUnedited(from slot: Int) -> Bool { versions.last.map { $0.slot < slot } ?? true }

    /// Called before an outward hook edits the request. Keeps it, in case the hook does not resend.
    mutating func willEditOutward() {
        if beforeEdit == nil { beforeEdit = Version(slot: 0, head: head, body: body) }
    }

    /// Keeps the edits of the plugin in this slot, which resends. Plugins further out see the request without them.
    mutating func keepEdit(of slot: Int) {
        if isUnedited(from: slot) {
            let before = beforeEdit ?? Version(slot: 0, head: head, body: body)
            versions.append(Version(slot: slot, head: before.head, body: before.body))
        }
        urlBeforeResend = beforeEdit?.head.url
        beforeEdit = nil
    }

    /// Undoes the edits of an outward hook that has not resent.
    mutating func undoEdit() {
        guard let before = beforeEdit else { return }
        (head, body, beforeEdit) = (before.head, before.body, nil)
    }

    /// The slots whose plugins have not seen the last edit on the way inward, because it was made further in.
    @inline(__always)
    var editedSlots: SlotSet { versions.isEmpty ? [] : .before(versions[versions.count - 1].slot) }

    /// Goes back to the request as the plugin in this slot passed it inward, before the first edit further in.
    ///
    /// - Returns: The bodies that are no longer needed.
    mutating func recall(for slot: Int) -> [BodyNode] {
        var dropped: [BodyNode] = []
        while let version = versions.last, version.slot > slot {
            if let body, body !== version.body { dropped.append(body) }
            (head, body) = (version.head, version.body)
            versions.removeLast()
        }
        return dropped
    }

    /// Replaces the body by what a `hold` has read of it, for the plugins further out too.
    mutating func replaceHeldBody(by node: BodyNode) {
        for index in versions.indices where versions[index].body === body { versions[index].body = node }
        body = node
    }

    /// The current request. It holds no versions, so that it takes the same time however many slots have edited.
    var snapshot: Snapshot {
        Snapshot(
            head: head, body: body, versionCount: versions.count, beforeEdit: beforeEdit,
            urlBeforeResend: urlBeforeResend)
    }

    /// Undoes what the slot whose hook runs has changed since the snapshot.
    mutating func goBack(to snapshot: Snapshot) {
        (head, body, beforeEdit) = (snapshot.head, snapshot.body, snapshot.beforeEdit)
        urlBeforeResend = snapshot.urlBeforeResend
        versions.removeLast(max(versions.count - snapshot.versionCount, 0))
    }

    /// Takes out all bodies, when the exchange is over.
    mutating func takeBodies() -> [BodyNode] {
        defer { (versions, body) = ([], nil) }
        if body == nil, !versions.contains(where: { $0.body != nil }) { return [] }
        return versions.compactMap(\.body) + (body.map { [$0] } ?? [])
    }
}

/// The heads and bodies as a hook found them.
///
/// A class, so that an exchange that keeps none needs only a pointer.
final class FoundMessages {
    var request: InwardRequest.Snapshot
    var response: OutwardResponse?

    init(_ exchange: ExchangeCore) {
        request = exchange.request.snapshot
        response = exchange.response
    }
}
