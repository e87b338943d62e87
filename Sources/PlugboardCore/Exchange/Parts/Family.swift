import PlugboardKit

/// How an exchange is related to others: who sent it, which exchange it is for, and which sub-requests are for it.
struct Family {
    /// How deep sub-requests may be nested.
    static let depthLimit = 4

    /// 0 for a program's request, 1 for its sub-requests, and so on.
    let depth: Int
    /// The slots of the plugins whose sub-requests led to this exchange.
    let ancestry: SlotSet
    /// The slot of the plugin that sent it; nil for a program's request.
    let sender: Int?
    /// The number of the exchange that a sub-request is for.
    let askerNumber: UInt64?
    /// The attributes of the exchange that a sub-request is for: what they say to slots that only watch this one.
    let outerAttributes: Attributes
    /// The exchange that is cancelled together with this one; it removes its children when it ends.
    unowned(unsafe) private(set) var asker: ExchangeCore?
    /// Sub-requests under way that are cancelled with this exchange.
    private(set) var children: [ExchangeCore] = []

    /// Of a program's request.
    init() {
        (depth, ancestry, sender, askerNumber, outerAttributes) = (0, [], nil, nil, Attributes())
    }

    /// Of a sub-request.
    ///
    /// - Parameters:
    ///   - sender: The slot of the plugin that sends it.
    ///   - asker: The exchange that it is for; nil if it is not for an exchange.
    init(sentBy sender: Int, for asker: ExchangeCore?) {
        depth = (asker?.family.depth ?? 0) + 1
        ancestry = (asker?.family.ancestry ?? []).union(SlotSet(sender))
        self.sender = sender
        askerNumber = asker?.number
        outerAttributes = asker?.request.head.attributes ?? Attributes()
    }

    /// Whether sub-requests are nested deeper than they may be.
    var isTooDeep: Bool { depth > Family.depthLimit }

    /// A sub-request is cancelled with the exchange that it is for.
    static func join(_ child: ExchangeCore, to asker: ExchangeCore) {
        asker.family.children.append(child)
        child.family.asker = asker
    }

    /// The exchange that this one is for no longer cancels it.
    static func leaveAsker(_ child: ExchangeCore) {
        guard let asker = child.family.asker else { return }
        asker.family.children.removeAll { $0 === child }
        child.family.asker = nil
    }

    /// Takes out the children: they are to be cancelled.
    mutating func takeChildren() -> [ExchangeCore] {
        if children.isEmpty { return [] }
        let taken = children
        children = []
        for child in taken { child.family.asker = nil }
        return taken
    }
}
