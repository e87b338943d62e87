// Feeds arbitrary URLs, Set-Cookie fields and cookies.txt to a jar and checks what must hold whatever they are.
import Fuzzing
import PlugboardKit

@testable import PlugboardCookies

/// Lines: the first is a URL, each of the next a field, and after an empty one comes a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    bytes.withUnsafeBytes { bytes in
        checkTime(bytes) { bytes in
            var jar = Jar(limits: Jar.Limits(perDomain: 1000, total: 10_000))
            guard let place = RequestURI("https://a.b.example/") else { return }
            for line in bytes.split(separator: newline) {
                guard let field = try? SetCookie(UnsafeRawBufferPointer(rebasing: line)) else { continue }
                _ = try? jar.receive(field, from: place, now: now)
            }
            _ = NetscapeFile.read([UInt8](bytes), now: now, suffixes: .system)
        }
    }
    var lines = bytes.split(separator: newline, omittingEmptySubsequences: false)[...]
    let url = String(decoding: lines.popFirst() ?? [], as: UTF8.self)
    let fields = lines.prefix { !$0.isEmpty }
    let file = Array(lines.dropFirst(fields.count + 1).joined(separator: [newline]))

    checkHosts(url)
    var jar = Jar(limits: Jar.Limits(perDomain: 4, total: 8))
    if let place = RequestURI(url, trustsLoopback: true) {
        precondition(place.path.first == UInt8(ascii: "/") && place.defaultPath.first == UInt8(ascii: "/"))
        precondition(RequestURI.path(place.path, matches: place.defaultPath))
        for field in fields { receive(Array(field), from: place, in: &jar) }
        if let field = jar.field(for: place, now: now) {
            precondition(!field.contains(where: SetCookie.isControl), "a field holds control characters")
        }
    }
    let content = NetscapeFile.read(file, now: now, suffixes: .system)
    precondition(content.errors.allSatisfy { (1...count + 1).contains($0.line) })
    for cookie in content.cookies { jar.put(cookie, now: now) }
    checkJar(jar)
    return 0
}

private let newline = UInt8(ascii: "\n")
private let now = Duration.seconds(1_700_000_000)

private func receive(_ text: [UInt8], from place: RequestURI, in jar: inout Jar) {
    if let date = CookieDate(text) {
        precondition(CookieDate(date.text.utf8) == date, "a date does not read back")
        precondition(HTTPDate(date.text, now: HTTPDate(now))?.seconds == date.seconds)
    }
    do throws(Refusal) {
        let field = try SetCookie(text)
        precondition(field.name.count + field.value.count <= SetCookie.pairLimit)
        precondition(field.path?.count ?? 0 <= SetCookie.attributeLimit)
        let isStored = try jar.receive(field, from: place, now: now) == .stored
        precondition(!isStored || jar.cookies.contains { $0.id.name == field.name && $0.value == field.value })
    } catch {
        precondition(!error.rawValue.isEmpty)
    }
}

private func checkHosts(_ text: String) {
    let host = text.lowercased()
    for parent in HostName.parents(of: host) {
        precondition(HostName.matches(host, domain: parent), "a host does not belong to its parent")
    }
    guard let domain = PublicSuffixes.system.registrableDomain(of: text) else { return }
    precondition(!domain.isEmpty && !PublicSuffixes.system.contains(domain), "a public suffix that can be registered")
}

private func checkJar(_ jar: Jar) {
    let cookies = jar.cookies
    precondition(cookies.count == jar.count && jar.count <= jar.limits.total)
    precondition(Set(cookies.map(\.id)).count == cookies.count, "two cookies of one id")
    precondition(jar.domains.allSatisfy { (1...jar.limits.perDomain).contains($1.count) })

    var again = jar
    let changes = again.takeChanges()
    precondition(changes.written.allSatisfy { $0.expires != nil } && again.takeChanges().isEmpty)
    again.load(changes.written, now: now)
    precondition(again.cookies.map(\.id) == cookies.map(\.id), "a jar that is loaded is another")

    let (bytes, skipped) = NetscapeFile.write(cookies)
    let read = NetscapeFile.read(bytes, now: now, suffixes: .system)
    precondition(read.cookies.count + read.errors.count + skipped == cookies.count, "a cookie became several lines")
    let written = Set(cookies.map { Array($0.id.name) + [0] + $0.value })
    precondition(read.cookies.allSatisfy { written.contains($0.id.name + [0] + $0.value) }, "a cookie became another")
}
