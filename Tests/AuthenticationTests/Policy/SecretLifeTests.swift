import PlugboardAuthenticationOptions
import PlugboardKit
import TestSupport
import Testing

@testable import PlugboardAuthentication

struct SecretLifeTests {
    private let refused = PlugboardError(.authenticationRefresh, "refused")

    @Test func `the first request fetches, and the others join`() {
        var life = SecretLife(pause: .seconds(5))

        #expect(life.demand(at: .seconds(1)) == .fetch)
        #expect(life.demand(at: .seconds(1)) == .join)
        life.finish(.success(.init(authorization: "a")), at: .seconds(2))
        #expect(life.demand(at: .seconds(1_000_000)) == .use("a", fetches: false))
    }

    @Test func `shortly before its end a secret is used and fetched once, and after its end requests wait`() {
        var life = kept(.init(authorization: "a", lifetime: .seconds(60), renewal: .seconds(30)))

        #expect(life.demand(at: .seconds(29)) == .use("a", fetches: false))
        #expect(life.demand(at: .seconds(30)) == .use("a", fetches: true))
        #expect(life.demand(at: .seconds(31)) == .use("a", fetches: false))
        #expect(life.demand(at: .seconds(60)) == .join)
        life.finish(.success(.init(authorization: "b", lifetime: .seconds(60))), at: .seconds(61))
        #expect(life.demand(at: .seconds(62)) == .use("b", fetches: false))
    }

    @Test func `a failed fetch before the end keeps the secret, and is not repeated at once`() {
        var life = kept(.init(authorization: "a", lifetime: .seconds(60), renewal: .seconds(30)))
        _ = life.demand(at: .seconds(30))

        life.finish(.failure(refused), at: .seconds(31))

        #expect(life.demand(at: .seconds(32)) == .use("a", fetches: false))
        #expect(life.demand(at: .seconds(36)) == .use("a", fetches: true))
    }

    @Test func `one rejection causes one fetch, and a later rejection of the old secret gets the new one`() {
        var life = kept(.init(authorization: "a"))

        #expect(life.reject("a", at: .seconds(1)) == .fetch)
        #expect(life.reject("a", at: .seconds(1)) == .join)
        #expect(life.demand(at: .seconds(1)) == .join)
        life.finish(.success(.init(authorization: "b")), at: .seconds(2))
        #expect(life.reject("a", at: .seconds(3)) == .use("b", fetches: false))
    }

    @Test func `a rejection of a newly fetched secret has no effect during the pause`() {
        var life = kept(.init(authorization: "a", pause: .seconds(5)))
        _ = life.reject("a", at: .seconds(1))
        life.finish(.success(.init(authorization: "b", pause: .seconds(5))), at: .seconds(2))

        #expect(life.reject("b", at: .seconds(3)) == .pass)
        #expect(life.demand(at: .seconds(3)) == .use("b", fetches: false))
        #expect(life.reject("b", at: .seconds(7)) == .fetch)
    }

    @Test func `a rejection of a secret that was fetched without a rejection causes a fetch`() {
        var life = kept(.init(authorization: "a", pause: .seconds(5)))

        #expect(life.reject("a", at: .seconds(0)) == .fetch)
    }

    @Test func `after failures requests fail for a pause that doubles up to a minute`() {
        var life = SecretLife(pause: .seconds(5))
        var now = Duration.zero
        var pauses: [Duration] = []

        for _ in 0..<7 {
            #expect(life.demand(at: now) == .fetch)
            life.finish(.failure(refused), at: now)
            let began = now
            while life.demand(at: now) == .fail(refused) { now += .seconds(1) }
            pauses.append(now - began)
            // The last `demand` of the loop began a fetch; it fails like the others.
            life.finish(.failure(refused), at: now)
            now += .seconds(60)
        }

        #expect(pauses.map(\.components.seconds) == [5, 20, 60, 60, 60, 60, 60])
    }

    @Test func `a success resets the pause`() {
        var life = SecretLife(pause: .seconds(5))
        for _ in 0..<3 { life.finish(.failure(refused), at: .zero) }
        life.finish(.success(.init(authorization: "a", lifetime: .seconds(1))), at: .zero)

        life.finish(.failure(refused), at: .seconds(1))

        #expect(life.demand(at: .seconds(5)) == .fail(refused))
        #expect(life.demand(at: .seconds(6)) == .fetch)
    }

    @Test func `a rejection within the pause after a failure fails`() {
        var life = kept(.init(authorization: "a"))
        _ = life.reject("a", at: .seconds(1))
        life.finish(.failure(refused), at: .seconds(2))

        #expect(life.reject("a", at: .seconds(3)) == .fail(refused))
        #expect(life.demand(at: .seconds(3)) == .fail(refused))
        #expect(life.demand(at: .seconds(7)) == .fetch)
    }

    @Test func `the longest pauses and lifetimes do not overflow`() {
        var life = SecretLife(pause: .seconds(Int64.max / 4))
        life.finish(.failure(refused), at: .seconds(Int64.max / 4))
        #expect(life.condition(at: .zero) == .failed)

        life.finish(.success(.init(authorization: "a", lifetime: .zero, renewal: .zero)), at: .zero)
        #expect(life.demand(at: .zero) == .fetch)
        #expect(life.condition(at: .zero) == .over)
    }

    private func kept(_ fetched: SecretLife.Fetched) -> SecretLife {
        var life = SecretLife(pause: .seconds(5))
        _ = life.demand(at: .zero)
        life.finish(.success(fetched), at: .zero)
        return life
    }
}
