import CPlugboardPCRE2

/// The syntax of formats as expressions of libpcre2.
///
/// An expression matches whole texts, in time that is linear in the length: no repetition without an upper limit gives
/// back what it has taken.
extension Format {
    private static let hex = "[0-9A-Fa-f]"
    private static let escape = "%\(hex){2}"

    // RFC 3339 §5.6; 29 February is in leap years only.
    private static let day =
        #"(?:\d{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])|(?:0[469]|11)-(?:0[1-9]|[12]\d|30)"#
        + #"|02-(?:0[1-9]|1\d|2[0-8]))"#
        + #"|(?:\d\d(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)"#
    private static let clock =
        #"(?:[01]\d|2[0-3]):[0-5]\d:(?:[0-5]\d|60)(?:\.\d++)?+(?:[Zz]|[+-](?:[01]\d|2[0-3]):[0-5]\d)"#
    // RFC 3339 appendix A: weeks, or units from years to days and from hours to seconds without a gap.
    private static let span =
        #"P(?!\z)(?:\d++W|(?!\d++Y\d++D)(?:\d++Y)?+(?:\d++M)?+(?:\d++D)?+"#
        + #"(?:T(?=\d)(?!\d++H\d++S)(?:\d++H)?+(?:\d++M)?+(?:\d++S)?+)?+)"#

    // RFC 2673 §3.2
    private static let octet = #"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"#
    private static let address4 = #"(?:\#(octet)\.){3}\#(octet)"#
    // RFC 4291 §2.2. Beside a gap there are seven groups at most, and an IPv4 address counts for two.
    private static let group = "\(hex){1,4}"
    private static let address6 =
        #"(?:(?:\#(group):){7}\#(group)|(?:\#(group):){6}\#(address4)"#
        + #"|(?!(?::*+\#(hex)++){7}(?:\.|:*+\#(hex)))"#
        + #"(?:\#(group)(?::\#(group))*+)?::(?:(?:\#(group):)*+(?:\#(address4)|\#(group)))?)"#

    /// Mail addresses (RFC 5321 §4.1.2, RFC 6531 §3.3) with any text as the domain.
    ///
    /// - Parameter further: A class of characters that the local part may also have.
    private static func mailbox(_ further: String) -> String {
        let atom = #"[!#-'*+\-/-9=?A-Z^-~\#(further)]++"#
        let quoted = #""(?:[ !#-\[\]-~\#(further)]|\\[ -~\#(further)])*+""#
        return #"(?:\#(atom)(?:\.\#(atom))*+|\#(quoted))"#
            + #"@(?:\[(?:[Ii][Pp][Vv]6:\#(address6)|\#(address4))\]|(?!\[)[^@]*+)"#
    }

    /// URIs (RFC 3986 §3), their references (§4.1), and IRIs (RFC 3987 §2.2).
    ///
    /// - Parameters:
    ///   - further: A class of characters that all parts after the scheme may also have.
    ///   - query: A class of characters that the query may have besides these.
    private static func identifier(isReference: Bool, _ further: String = "", query: String = "") -> String {
        let plain = #"A-Za-z0-9\-._~!$&'()*+,;="#
        func part(_ characters: String) -> String { "(?:[\(plain)\(further)\(characters)]++|\(escape))*+" }
        let scheme = #"[A-Za-z][A-Za-z0-9+.\-]*+:"#
        // A first segment with a colon would be a scheme.
        let start = isReference ? "(?:\(scheme)|(?![^:/?#]*+:))" : scheme
        let literal = #"\[(?:\#(address6)|[Vv]\#(hex)++\.[\#(plain):]++)\]"#
        let authority = #"(?:\#(part(":"))@)?+(?:\#(literal)|\#(part("")))(?::\d*+)?+(?=[/?#]|\z)"#
        return "\(start)(?://\(authority)|(?!//))\(part("/:@"))"
            + #"(?:\?\#(part("/?:@" + query)))?+(?:#\#(part("/?:@")))?+"#
    }

    private static let ucschar =
        #"\x{A0}-\x{D7FF}\x{F900}-\x{FDCF}\x{FDF0}-\x{FFEF}\x{E1000}-\x{EFFFD}"#
        + "123456789ABCD".map { #"\x{\#($0)0000}-\x{\#($0)FFFD}"# }.joined(separator: "")
    private static let iprivate = #"\x{E000}-\x{F8FF}\x{F0000}-\x{FFFFD}\x{100000}-\x{10FFFD}"#

    // RFC 6570 §2
    private static let name = "(?:[0-9A-Za-z_]++|\(escape))++"
    private static let variable = #"\#(name)(?:\.\#(name))*+(?:\*|:[1-9]\d{0,3})?+"#
    private static let template =
        #"(?:[^\x00-\x20"%<>\\^`{|}\x7F]++|\#(escape)|\{[+#./;?&=,!@|]?+\#(variable)(?:,\#(variable))*+\})*+"#

    // RFC 6901 §3
    private static let pointer = "(?:/[^~]*+(?:~[01][^~]*+)*+)?+"
    private static let integer = #"(?:0|[1-9]\d*+)"#

    private static let expressions: [Format: String] = [
        .date: day, .time: clock, .dateTime: "\(day)[Tt]\(clock)", .duration: span,
        .email: mailbox(""), .idnEmail: mailbox(#"\x{80}-\x{10FFFF}"#),
        .ipv4: address4, .ipv6: address6,
        .uri: identifier(isReference: false), .uriReference: identifier(isReference: true),
        .iri: identifier(isReference: false, ucschar, query: iprivate),
        .iriReference: identifier(isReference: true, ucschar, query: iprivate),
        .uriTemplate: template,
        // RFC 4122 §3
        .uuid: "\(hex){8}(?:-\(hex){4}){3}-\(hex){12}",
        .jsonPointer: pointer, .relativeJSONPointer: "\(integer)(?:[+-]\(integer))?+(?:#|\(pointer))",
    ]

    // Safe because a compiled expression never changes: several threads may match with it.
    nonisolated(unsafe) static let codes: [Format: OpaquePointer?] = expressions.mapValues {
        compile($0, UInt32(PCRE2_ANCHORED) | UInt32(PCRE2_ENDANCHORED))
    }

    /// Compiles an expression; one that is invalid gives nil, with which no text matches.
    static func compile(_ expression: String, _ options: UInt32) -> OpaquePointer? {
        var number: Int32 = 0
        var offset = 0
        let bytes = Array(expression.utf8)
        let code = pcre2_compile_8(bytes, bytes.count, UInt32(PCRE2_UTF) | options, &number, &offset, nil)
        // Without a compiler for this processor, matches are slower.
        pcre2_jit_compile_8(code, PCRE2_JIT_COMPLETE)
        return code
    }

    /// A context without a limit of steps, so that the length of a text is not limited.
    // Safe because nothing changes the context after this closure.
    nonisolated(unsafe) static let unlimited: OpaquePointer? = {
        let context = pcre2_match_context_create_8(nil)
        pcre2_set_match_limit_8(context, .max)
        return context
    }()
}
