import PlugboardKit

/// Asks the server in the background whether a stale answer that was just given still holds (RFC 5861 §3), and stores what it says.
///
/// Everything happens on the loop. It ends its flight, so that nobody else asks meanwhile, and others may wait for it.
final class Revalidation: Sendable {
    private let cache: Cache
    private let question: Question
    private let flight: Flight

    init(_ cache: Cache, _ question: Question, _ flight: Flight) {
        self.cache = cache
        self.question = question
        self.flight = flight
    }

    /// Sends what the policy says: a GET, or the search itself, without the caller's own conditions and range.
    ///
    /// - Parameter attempts: How often it may be asked; a server's word about a condition can make a second question necessary.
    func ask(_ forward: Forward, for exchange: UInt64, attempts: Int = 2) {
        var request = Request(
            question.method == .head ? .get : question.method, question.url, fields: forward.request.fields,
            body: question.body.map { .bytes($0) })
        for name in forward.edits.removed { request.fields.remove(name) }
        for field in forward.edits.set { request.fields.remove(FieldName(field.name)) }
        for field in forward.edits.set { request.fields.append(FieldName(field.name), field.value) }
        let requested = cache.host.wallClock
        cache.host.send(request, for: exchange, from: .insideAsker, isDetached: true) { result in
            guard case .success(let answer) = result else { return self.fail() }
            self.take(answer, to: forward, requested, exchange, attempts)
        }
    }

    private func take(
        _ answer: SubResponse, to forward: Forward, _ requested: Duration, _ exchange: UInt64, _ attempts: Int
    ) {
        let received = ReceivedResponse(
            forward: forward, status: answer.head.status, fields: answer.head.fields, requested: requested,
            received: cache.host.wallClock)
        let decision = cache.policy.decision(on: received) { _ in nil }
        cache.change(decision)
        if case .resend(let next) = decision.outcome {
            if attempts > 1 { ask(next, for: exchange, attempts: attempts - 1) } else { end(.fruitless) }
            return
        }
        guard let recording = decision.store.flatMap({ cache.recording(of: $0) }) else {
            // RFC 6585 §4: 429 is a wish to be left alone, too.
            if answer.head.status >= 500 || answer.head.status == 429 { return fail() }
            let isConfirmed = !decision.updates.isEmpty
            if isConfirmed { cache.host.publish("cache.refreshed") }
            return end(isConfirmed ? .landed : .fruitless)
        }
        recording.flight = flight
        flight.receive(0)
        guard let body = answer.takeBody() else {
            recording.end()
            return commit(recording)
        }
        drain(body, into: recording)
    }

    private func drain(_ body: InnerBody, into recording: Recording) {
        body.withPiece { view in
            recording.look(view)
            if case .broken = view { return self.fail() }
            // What the store does not take need not be read to its end.
            guard recording.isOpen else { return self.end(.fruitless) }
            switch view {
            // Not at once: pieces that are there already would pile up on the stack.
            case .bytes: recording.whenReady(self.cache.host) { self.drain(body, into: recording) }
            case .end: self.commit(recording)
            case .broken: break
            }
        }
    }

    private func commit(_ recording: Recording) {
        end(cache.commit(recording, of: nil) ? .landed : .fruitless)
    }

    /// The server is to be left alone for a while.
    private func fail() {
        cache.setbacks.add(question.facts.key, cache.host.now)
        end(.failed)
    }

    private func end(_ ending: Flight.Ending) {
        if ending != .failed { cache.setbacks.end(question.facts.key) }
        cache.flights.end(flight, ending)
    }
}

extension Cache {
    /// Asks in the background, unless somebody asks the same already, or the server has just failed to answer it.
    func revalidate(_ question: Question, _ forward: Forward, _ exchange: UInt64) {
        guard !setbacks.forbid(question.facts.key, host.now),
            case .leads(let flight) = flights.board(FlightKey(question.facts, forward.entries))
        else { return }
        Revalidation(self, question, flight).ask(forward, for: exchange)
    }
}
