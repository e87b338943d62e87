import PlugboardKit

/// A body that has to be fetched from somewhere slow: its first pieces can be fetched before anybody is promised the rest.
protocol PreparedSource: BodySource {
    /// Fetches the first pieces, before the first pull and once; `done` is told, on any thread, whether they are what was stored.
    func prepare(_ done: @escaping @Sendable (_ isIntact: Bool) -> Void)
}
