/// Why a cookie is refused: all but the last are clauses of RFC 6265bis. The raw values appear in events, logs and
/// replies.
enum Refusal: String, Error, Sendable, CaseIterable {
    /// §5.6 step 1: a control character other than a tab.
    case controlCharacter
    /// §5.6 step 5: name and value have more than 4096 octets.
    case tooLong
    /// §5.7 step 2: neither name nor value.
    case empty
    /// §5.7 step 8: a domain with other characters than ASCII.
    case domainNotASCII
    /// §5.7 step 9: a domain under which anybody can register.
    case publicSuffix
    /// §5.7 step 10: a domain that the host does not belong to.
    case foreignDomain
    /// §5.7 step 13: `Secure` over a connection that is not.
    case insecureConnection
    /// §5.7 step 16: it would hide a secure cookie, over a connection that is not secure.
    case hidesSecureCookie
    /// §5.7 step 19: `SameSite=None` without `Secure`.
    case sameSiteNone
    /// §5.7 steps 20 to 22: a name (or a value without one) that begins with `__Secure-` or its kin, and lacks what that promises.
    case prefix
    /// No clause: the head holds more cookies than are looked at.
    case tooMany
}
