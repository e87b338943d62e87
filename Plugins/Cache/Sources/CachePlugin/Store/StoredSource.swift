import PlugboardKit

/// The body of a stored answer. Where it has to be fetched from somewhere slow, its first pieces can be fetched before anybody is
/// promised the rest.
protocol StoredSource: BodySource {
    /// Whether the first pieces are here.
    var isAtHand: Bool { get }

    /// Fetches the first pieces, before the first pull and once; `done` is told, on any thread, whether they are what was stored.
    func prepare(_ done: @escaping @Sendable (_ isIntact: Bool) -> Void)
}

extension StoredSource {
    var isAtHand: Bool { true }
    func prepare(_ done: @escaping @Sendable (Bool) -> Void) { done(true) }
}
