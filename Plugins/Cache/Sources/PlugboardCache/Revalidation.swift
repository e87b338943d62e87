import PlugboardKit
import Synchronization

/// Validates a stale response in the background, after it was served (RFC 5861 §3), and stores the result.
///
/// Runs on the loop. It leads a flight, so that no other request validates meanwhile, and others may wait for it.
final class Revalidation: Sendable {
    private let cache: Cache
    private let lookup: Lookup
    private let flight: Flight
    /// The inheritance of the exchange that it is for, which has ended when a second request is sent.
    private let inheritance: Inheritance

    init(_ cache: Cache, _ lookup: Lookup, _ flight: Flight, _ inheritance: Inheritance) {
        self.cache = cache
        self.lookup = lookup
        self.flight = flight
        self.inheritance = inheritance
    }

    /// Sends the request of the policy: a GET, or the search itself, without the caller's own conditions and range.
    ///
    /// - Parameter attempts: The most requests to send; a response to a condition may make a second request necessary.
    func ask(_ forward: Forward, for exchange: UInt64, attempts: Int = 2) {
        var request = Request(
            lookup.method == .head ? .get : lookup.method, lookup.url, fields: forward.request.fields,
            body: lookup.body.map { .bytes($0) })
        for name in forward.edits.removed { request.fields.remove(name) }
        for field in forward.edits.set { request.fields.remove(FieldName(field.name)) }
        for field in forward.edits.set { request.fields.append(FieldName(field.name), field.value) }
        request.inherit(inheritance)
        let requested = cache.host.wallClock
        cache.host.send(request, for: exchange, from: .insideSender, isDetached: true) { result in
            guard case .success(let response) = result else { return self.fail() }
            self.take(response, to: forward, requested, exchange, attempts)
        }
    }

    private func take(
        _ response: SubResponse, to forward: Forward, _ requested: Duration, _ exchange: UInt64, _ attempts: Int
    ) {
        let received = NetworkResponse(
            forward: forward, status: response.head.status, fields: response.head.fields, requested: requested,
            received: cache.host.wallClock)
        let decision = cache.policy.decision(on: received) { _ in nil }
        cache.change(decision)
        if case .resend(let next) = decision.outcome {
            if attempts > 1 { ask(next, for: exchange, attempts: attempts - 1) } else { end(.fruitless) }
            return
        }
        guard let recording = decision.store.flatMap({ cache.recording(of: $0) }) else {
            // RFC 6585 §4: after a 429 the server must not be asked again at once, either.
            if response.head.status >= 500 || response.head.status == 429 { return fail() }
            let isConfirmed = !decision.updates.isEmpty
            if isConfirmed { cache.host.publish("cache.refreshed") }
            return end(isConfirmed ? .landed : .fruitless)
        }
        recording.flight = flight
        flight.receive(0)
        guard let body = response.takeBody() else {
            recording.end()
            return commit(recording)
        }
        drain(body, into: recording)
    }

    private func drain(_ body: InnerBody, into recording: Recording) {
        body.withPiece { view in
            recording.look(view)
            if case .broken = view { return self.fail() }
            // A body that the store refuses is not read to its end.
            guard recording.isOpen else { return self.end(.fruitless) }
            switch view {
            // Read later, because pieces that are available already would grow the stack.
            case .bytes: recording.whenReady(self.cache.host) { self.drain(body, into: recording) }
            case .end: self.commit(recording)
            case .broken: break
            }
        }
    }

    private func commit(_ recording: Recording) {
        end(cache.commit(recording, of: nil) ? .landed : .fruitless)
    }

    /// Delays the next revalidation.
    private func fail() {
        cache.setbacks.add(lookup.facts.key, cache.host.now)
        end(.failed)
    }

    private func end(_ ending: Flight.Ending) {
        if ending != .failed { cache.setbacks.end(lookup.facts.key) }
        cache.flights.end(flight, ending)
    }
}

extension Cache {
    /// Validates in the background, unless the same revalidation is under way or has just failed.
    func revalidate(_ lookup: Lookup, _ forward: Forward, _ exchange: UInt64, _ inheritance: Inheritance) {
        guard !setbacks.forbid(lookup.facts.key, host.now),
            case .leads(let flight) = flights.board(FlightKey(lookup.facts, forward.entries))
        else { return }
        let revalidation = Revalidation(self, lookup, flight, inheritance)
        guard let fleet, fleet.isUsable else { return revalidation.ask(forward.withoutBodies, for: exchange) }
        let (host, flights, loop) = (host, flights, host.currentLoop)
        fleet.lead(flight) { boarding in
            // Another process validates.
            guard case .leads(let lease) = boarding else { return flights.end(flight, .fruitless) }
            flight.lease.withLock { $0 = lease }
            host.schedule(after: .zero, on: loop) { revalidation.ask(forward.withoutBodies, for: exchange) }
        }
    }
}

/// The delay after failed revalidations: a second, doubled with each failure, up to a minute.
struct Setback: Sendable, Equatable {
    /// The number of failures in a row.
    private(set) var count = 0
    /// The end of the delay, on the monotonic clock.
    private(set) var until: Duration

    private static let longest: Duration = .seconds(60)

    init(_ previous: Setback? = nil, now: Duration) {
        count = (previous?.count ?? 0) + 1
        until = now + min(.seconds(1 << min(count - 1, 10)), Setback.longest)
    }

    func forbids(_ now: Duration) -> Bool { now < until }
}

/// The delays of the keys whose revalidations have failed recently.
final class Setbacks: Sendable {
    private let setbacks = Mutex<[CacheKey: Setback]>([:])

    /// The most keys kept; a removed one only causes a revalidation too early.
    private static let limit = 1000

    func forbid(_ key: CacheKey, _ now: Duration) -> Bool { setbacks.withLock { $0[key]?.forbids(now) ?? false } }

    func add(_ key: CacheKey, _ now: Duration) {
        setbacks.withLock { setbacks in
            if setbacks.count >= Setbacks.limit && setbacks[key] == nil { setbacks = [:] }
            setbacks[key] = Setback(setbacks[key], now: now)
        }
    }

    /// Removes the delay, because the server has responded.
    func end(_ key: CacheKey) { setbacks.withLock { $0[key] = nil } }
}
