// Feeds arbitrary text to all that takes URLs apart, and checks that they agree.
import Fuzzing
import PlugboardKit

@testable import PlugboardCache
@testable import PlugboardCookies
@testable import PlugboardRedirect

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = UnsafeRawBufferPointer(start: start, count: count)
    let url = String(decoding: bytes, as: UTF8.self)
    checkTime(bytes) { bytes in
        let url = String(decoding: bytes, as: UTF8.self)
        _ = (Origin(url: url), NormalURL(url), URLParts.resolve(url, against: url), Printable.url(url), RequestURI(url))
        _ = (Origin(url: "http://" + url), NormalURL("http://a/" + url), Reference(location: bytes))
    }
    checkOrigin(url)
    checkResolved(url)
    checkNormalForm(url)
    checkRedaction(url)
    checkPattern(bytes)
    if let reference = Reference(location: bytes) {
        precondition(!reference.text.utf8.contains { $0 < 0x20 || $0 == 0x7F }, "a reference holds control characters")
        let target = Reference.carry(from: url, over: reference, to: reference.text, isSameOrigin: true)
        precondition(target.utf8.count >= reference.text.utf8.prefix { $0 != UInt8(ascii: "#") }.count)
    }
    return 0
}

private func checkOrigin(_ url: String) {
    guard let origin = Origin(url: url) else { return }
    precondition(Origin(origin.description) == origin && Origin(url: origin.description) == origin)
    guard let parts = URLParts(url) else { preconditionFailure("an origin of no URL") }
    precondition(parts.scheme?.lowercased() == origin.scheme && parts.authority != nil)
    precondition(
        parts.authority?.utf8.contains(UInt8(ascii: "@")) == true
            || Origin("\(origin.scheme)://\(trimmingPort(parts.authority ?? ""))") == origin)
    if let place = RequestURI(url) {
        precondition(place.host == origin.host && place.isSecure == (origin.scheme == "https"), "two hosts of one URL")
    }
}

/// An empty port is none in a URL, and an error in an origin.
private func trimmingPort(_ authority: Substring) -> Substring {
    authority.utf8.last == UInt8(ascii: ":") ? authority.dropLast() : authority
}

/// What a URL means against itself is in normal form, and at its own origin.
private func checkResolved(_ url: String) {
    guard let text = URLParts.resolve(url, against: "http://base.example/a/b") else { return }
    precondition(URLParts.resolve(text, against: "http://other.example/") == text, "what is resolved has another form")
    guard let origin = Origin(url: url) else { return }
    precondition(Origin(url: text) == origin, "the same URL leads elsewhere")
    // Only what is resolved has lost its dot segments.
    if let normal = NormalURL(url)?.text, let again = URLParts.resolve(normal, against: text) {
        precondition(NormalURL(again) == NormalURL(text), "two normal forms")
    }
}

private func checkNormalForm(_ url: String) {
    guard let normal = NormalURL(url) else { return }
    precondition(NormalURL(normal.text) == normal, "what is normal has another form")
    precondition(normal.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "bytes that no URL can hold")
    precondition(Origin(url: normal.text) == Origin(url: url), "the normal form leads elsewhere")
    precondition(URLParts(normal.text)?.fragment == nil)
    precondition(RequestURI(normal.text)?.path.first == UInt8(ascii: "/"))
}

private func checkRedaction(_ url: String) {
    let text = Printable.url(url)
    precondition(Printable.url(text) == text, "what is redacted holds secrets")
    precondition(!text.utf8.contains(UInt8(ascii: "#")))
    if let authority = URLParts(text)?.authority {
        precondition(!authority.utf8.contains(UInt8(ascii: "@")), "a user shows")
    }
    precondition(Printable.text(url).unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
}

/// The first half is the pattern.
private func checkPattern(_ bytes: UnsafeRawBufferPointer) {
    let text = String(decoding: bytes.prefix(bytes.count / 2), as: UTF8.self)
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(bytes.count / 2))
    let fits = URLPattern(text).fits(rest)
    precondition(URLPattern("*").fits(rest) && URLPattern(text).fits(text))
    precondition(!fits || URLPattern("*\(text)*").fits(rest))
}
