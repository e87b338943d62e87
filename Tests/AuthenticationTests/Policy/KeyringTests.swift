import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct KeyringTests {
    private let keyring = Keyring(pause: .seconds(5))

    @Test func `equal credentials share one keeper`() {
        let first = keyring.keeper(of: credential(1), at: .zero)

        #expect(keyring.keeper(of: credential(1), at: .zero) === first)
        #expect(keyring.keeper(of: credential(2), at: .zero) !== first)
    }

    @Test func `at the limit the least recently used keeper is removed, unless it is fetching`() {
        let keepers = (0..<Keyring.limit).map { keyring.keeper(of: credential($0), at: .seconds(Int64($0))) }
        _ = keepers[0].renew { _ in }

        for number in 0..<10 { _ = keyring.keeper(of: credential(1000 + number), at: .seconds(1000)) }

        #expect(keyring.all.count == Keyring.limit)
        #expect(keyring.keeper(of: credential(0), at: .zero) === keepers[0])
        #expect(!keyring.all.contains { $0 === keepers[1] || $0 === keepers[10] })
        #expect(keyring.all.contains { $0 === keepers[11] })
    }

    @Test func `a waiting exchange gets its outcome after forget`() {
        let keeper = keyring.keeper(of: credential(1), at: .zero)
        let begun = Record()
        guard case .wait(let flight) = keeper.demand(for: "http://a.test/", at: .zero, fetch: { _ in begun.add("x") })
        else {
            Issue.record("The first demand waits.")
            return
        }
        let woken = Record()
        #expect(flight.whenOver { woken.add("woken") })

        let count = keyring.forget()
        keeper.finish(flight, .success(.init(authorization: "Bearer a")), at: .zero) { woken.add("told") }

        #expect(count == 1 && keyring.all.isEmpty && begun.lines == ["x"])
        #expect(woken.lines == ["told", "woken"])
        #expect(flight.outcome == .success("Bearer a"))
        #expect(!flight.whenOver {})
    }

    private func credential(_ number: Int) -> Credential {
        Credential(scheme: .bearer, source: .text(.file("/\(number)")))
    }
}
