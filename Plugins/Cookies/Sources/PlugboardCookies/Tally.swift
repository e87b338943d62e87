/// The results for the cookies of one head.
struct Tally: Sendable {
    private(set) var stored = 0
    private(set) var refused = 0
    /// The first refusals only, because a head may contain thousands of cookies.
    private(set) var refusals: [(name: [UInt8], reason: Refusal)] = []
    var evictions: Int

    private static let refusalLimit = 10
    /// The most fields of one head that are read: each is compared with the cookies of its domain, and a head may have
    /// 16,000.
    static let fieldLimit = 1000
    private var fields = 0

    init(evictions: Int) { self.evictions = evictions }

    /// Parses one field and passes it to a jar.
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
