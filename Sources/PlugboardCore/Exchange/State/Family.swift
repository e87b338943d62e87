import PlugboardBorder

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
    let parentNumber: UInt64?
    /// The attributes of the exchange that a sub-request is for; slots that only watch this one see them.
    let outerAttributes: Attributes
    /// The exchange that is cancelled together with this one; it removes its children when it ends.
    unowned(unsafe) private(set) var parent: ExchangeCore?
    /// Sub-requests under way that are cancelled with this exchange.
    private(set) var children: [ExchangeCore] = []

    /// The family of a program's request.
    init() {
        (depth, ancestry, sender, parentNumber, outerAttributes) = (0, [], nil, nil, Attributes())
    }

    /// The family of a sub-request.
    ///
    /// - Parameters:
    ///   - sender: The slot of the plugin that sends it.
    ///   - parent: The exchange that it is for; nil if it is not for an exchange.
    init(sentBy sender: Int, for parent: ExchangeCore?) {
        depth = (parent?.family.depth ?? 0) + 1
        ancestry = (parent?.family.ancestry ?? []).union(SlotSet(sender))
        self.sender = sender
        parentNumber = parent?.number
        outerAttributes = parent?.request.head.attributes ?? Attributes()
    }

    /// Whether sub-requests are nested deeper than they may be.
    var isTooDeep: Bool { depth > Family.depthLimit }

    /// Lets a sub-request be cancelled together with the exchange that it is for.
    static func join(_ child: ExchangeCore, to parent: ExchangeCore) {
        parent.family.children.append(child)
        child.family.parent = parent
    }

    /// Removes it from the exchange that it is for, which then no longer cancels it.
    static func leaveParent(_ child: ExchangeCore) {
        guard let parent = child.family.parent else { return }
        parent.family.children.removeAll { $0 === child }
        child.family.parent = nil
    }

    /// Takes out the children, which the caller cancels.
    mutating func takeChildren() -> [ExchangeCore] {
        if children.isEmpty { return [] }
        let taken = children
        children = []
        for child in taken { child.family.parent = nil }
        return taken
    }
}
