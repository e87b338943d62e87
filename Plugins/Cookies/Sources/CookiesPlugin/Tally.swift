/// What became of the cookies of one head.
struct Tally: Sendable {
    private(set) var stored = 0
    private(set) var refused = 0
    /// The first of those that were refused: a head may hold thousands.
    private(set) var refusals: [(name: [UInt8], reason: Refusal)] = []
    var evictions: Int

    private static let refusalLimit = 10
    /// Fields of one head that are looked at: each costs a look at the cookies of its domain, and a head may hold sixteen thousand.
    static let fieldLimit = 1000
    private var fields = 0

    init(evictions: Int) { self.evictions = evictions }

    /// Reads one field and lets a jar take it in.
    mutating func add(
        _ value: UnsafeRawBufferPointer, _ receive: (SetCookie) throws(Refusal) -> Jar.Reception
    ) {
        var name: [UInt8] = []
        fields += 1
        do throws(Refusal) {
            guard fields <= Tally.fieldLimit else { throw .tooMany }
            let field = try SetCookie(value)
            name = field.name
            if try receive(field) == .stored { stored += 1 }
        } catch {
            refused += 1
            if refusals.count < Tally.refusalLimit { refusals.append((Array(name.prefix(100)), error)) }
        }
    }
}
