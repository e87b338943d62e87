/// One directive of `Cache-Control` or `Pragma` (RFC 9111 §5.2): a name, in any case, and maybe an argument.
struct Directive {
    let name: UnsafeRawBufferPointer
    /// Without its quotes; nil if there is none.
    let argument: UnsafeRawBufferPointer?
    let isQuoted: Bool
    /// Whether blanks stand beside the equals sign, which the grammar does not have.
    let isMalformed: Bool

    init(_ member: UnsafeRawBufferPointer) {
        guard let equals = member.firstIndex(of: UInt8(ascii: "=")) else {
            (name, argument, isQuoted, isMalformed) = (member, nil, false, false)
            return
        }
        let left = member.part(0, equals)
        let right = member.part(equals + 1, member.count)
        name = left.trimmed
        isMalformed = name.count != left.count || right.trimmed.count != right.count
        isQuoted = right.count >= 2 && right.first == UInt8(ascii: "\"") && right.last == UInt8(ascii: "\"")
        argument = isQuoted ? right.part(1, right.count - 1) : right
    }

    /// The argument as seconds, quoted or not; nil if it is none.
    var seconds: Duration? {
        isMalformed ? nil : argument?.deltaSeconds.map { .seconds($0) }
    }

    /// The directives of one field value.
    static func forEach(in value: UnsafeRawBufferPointer, _ body: (Directive) -> Void) {
        var list = FieldList(value)
        while let member = list.next() {
            if !member.isEmpty { body(Directive(member)) }
        }
    }
}
