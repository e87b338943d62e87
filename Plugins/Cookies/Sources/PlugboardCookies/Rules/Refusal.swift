/// Why a cookie is refused: all but the last are clauses of RFC 6265bis. The raw values appear in events, logs and
/// replies.
enum Refusal: String, Error, Sendable, CaseIterable {
    /// §5.6 step 1: a control character other than a tab.
    case controlCharacter
    /// §5.6 step 5: name and value have more than 4096 octets.
    case tooLong
    /// §5.7 step 2: neither name nor value.
    case empty
    /// §5.7 step 8: the domain contains non-ASCII characters.
    case domainNotASCII
    /// §5.7 step 9: the domain is a public suffix, under which anyone can register.
    case publicSuffix
    /// §5.7 step 10: the host does not belong to the domain.
    case foreignDomain
    /// §5.7 step 13: `Secure` over an insecure connection.
    case insecureConnection
    /// §5.7 step 16: the cookie would hide a secure cookie, over an insecure connection.
    case hidesSecureCookie
    /// §5.7 step 19: `SameSite=None` without `Secure`.
    case sameSiteNone
    /// §5.7 steps 20 to 22: the name, or the value of a nameless cookie, begins with `__Secure-` or a similar prefix,
    /// and the cookie lacks the attributes that the prefix requires.
    case prefix
    /// No clause: the head contains more cookies than are read.
    case tooMany
}
