/// The requests that a command selects.
@_spi(QueueStores)
public struct Selection: Sendable, Equatable {
    public var id: String?
    public var tag: String?
    public var category: String?
    public var states: [EntryState] = []

    /// Whether all requests are selected.
    public var isAll: Bool { id == nil && tag == nil && category == nil && states.isEmpty }

    /// The same selection without the states.
    public var naming: Selection { Selection(id: id, tag: tag, category: category) }
}
