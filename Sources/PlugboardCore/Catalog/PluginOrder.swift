import PlugboardBorder

/// The order of plugins, from the outermost to the innermost.
///
/// `before` and `after` override priorities; among the plugins that may come next, the one with the smallest (priority,
/// id) comes. The order in which the items are given makes no difference.
struct PluginOrder {
    struct Item {
        let id: String
        let priority: Int
        /// Whether the configuration gives the priority.
        var isConfigured = false
        /// Ids that must be further in, and further out. One with `?` at its end need not exist.
        var before: [String] = []
        var after: [String] = []
    }

    /// The reason for a plugin's position.
    enum Reason: Sendable, Equatable, CustomStringConvertible {
        case defaultPriority, configuredPriority
        /// It stands before this plugin, although by its priority alone it would stand after it.
        case before(String)
        /// It stands after this plugin, although by its priority alone it would stand before it.
        case after(String)

        var description: String {
            switch self {
            case .defaultPriority: "default priority"
            case .configuredPriority: "configured priority"
            case .before(let id): "before \(id)"
            case .after(let id): "after \(id)"
            }
        }
    }

    let placed: [(id: String, reason: Reason)]
    /// Names in `before` and `after` that no item has, with the item that names them.
    let absent: [(id: String, names: [String])]

    /// Items of which each must be before the next, the first again at the end.
    struct Cycle: Error {
        let ids: [String]
    }

    /// - Parameter items: Items with different ids.
    /// - Throws: `plugin.order` with a cycle, if there is one, as the end of a sentence that begins with the plugins.
    init(_ items: [Item]) throws(PlugboardError) {
        do throws(Cycle) {
            try self.init(ordering: items)
        } catch {
            throw PlugboardError(
                .pluginOrder,
                "cannot be put in order: \(error.ids.joined(separator: " → ")), where each must be before the next. "
                    + "Remove one of these before or after ids.")
        }
    }

    /// Orders the items. Throws a cycle, for callers that describe it themselves.
    init(ordering items: [Item]) throws(Cycle) {
        let ranked = items.sorted { ($0.priority, $0.id) < ($1.priority, $1.id) }
        let graph = OrderGraph(ranked)
        let order = try graph.sorted()
        placed = order.indices.map { position in
            let item = ranked[order[position]]
            return (item.id, graph.displacement(at: position, of: order) ?? PluginOrder.priority(of: item))
        }
        absent = ranked.compactMap { item in
            let names = Set(item.before + item.after).filter { !$0.hasSuffix("?") && graph.rank(of: $0) == nil }
            return names.isEmpty ? nil : (item.id, names.sorted())
        }
    }

    private static func priority(of item: Item) -> Reason {
        item.isConfigured ? .configuredPriority : .defaultPriority
    }
}

/// The items that must be before each item. Items are numbers here: their ranks by (priority, id).
private struct OrderGraph {
    private let ids: [String]
    private let ranks: [String: Int]
    /// The items that must be before each item.
    private var outer: [Set<Int>]

    /// - Parameter ranked: The items, sorted by (priority, id).
    init(_ ranked: [PluginOrder.Item]) {
        ids = ranked.map(\.id)
        ranks = Dictionary(ids.enumerated().map { ($1, $0) }) { first, _ in first }
        outer = Array(repeating: [], count: ranked.count)
        for (rank, item) in ranked.enumerated() {
            for other in item.before.compactMap({ ranks[PluginDescriptor.id(inOrder: $0)] }) {
                outer[other].insert(rank)
            }
            for other in item.after.compactMap({ ranks[PluginDescriptor.id(inOrder: $0)] }) {
                outer[rank].insert(other)
            }
        }
    }

    func rank(of id: String) -> Int? { ranks[id] }

    /// The ranks in their order.
    func sorted() throws(PluginOrder.Cycle) -> [Int] {
        var order: [Int] = []
        var waiting = Array(ids.indices)
        var placed: Set<Int> = []
        while let next = waiting.firstIndex(where: { outer[$0].isSubset(of: placed) }) {
            let rank = waiting.remove(at: next)
            placed.insert(rank)
            order.append(rank)
        }
        guard waiting.isEmpty else { throw cycle(among: Set(waiting)) }
        return order
    }

    /// Why the item at that position is not where its rank alone would put it; nil if it is.
    func displacement(at position: Int, of order: [Int]) -> PluginOrder.Reason? {
        let rank = order[position]
        // An item of a higher rank is before it, so this one had to wait for the last of the items before it.
        if order[..<position].contains(where: { $0 > rank }) {
            return order[..<position].last { outer[rank].contains($0) }.map { .after(ids[$0]) }
        }
        return order[position...].dropFirst().first { $0 < rank && outer[$0].contains(rank) }.map { .before(ids[$0]) }
    }

    /// Each item that cannot be placed has another one before it that cannot be placed either, so following them must
    /// reach one of them again: a cycle.
    private func cycle(among waiting: Set<Int>) -> PluginOrder.Cycle {
        var path: [String] = []
        var next = waiting.map { ids[$0] }.min()
        while let id = next, !path.contains(id) {
            path.append(id)
            next = ranks[id].flatMap { outer[$0].intersection(waiting).map { ids[$0] }.min() }
        }
        var circle = Array(path.drop { $0 != next }.reversed())
        if let first = circle.min(), let index = circle.firstIndex(of: first) {
            circle = Array(circle[index...] + circle[..<index]) + [first]
        }
        return PluginOrder.Cycle(ids: circle)
    }
}
