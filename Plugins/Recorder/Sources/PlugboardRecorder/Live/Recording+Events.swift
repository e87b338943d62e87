import PlugboardKit

extension Recording {
    /// - Parameter time: The time since the start of the exchange.
    func take(_ event: borrowing Event, _ exchange: borrowing Exchange, at now: @autoclosure () -> Duration) {
        // Comparing in place takes less time than making the text of the id. The events of every exchange come first.
        if event.is("attemptBegan") {
            isAttemptRecorded = earlier.count + 1 < Recording.attemptLimit || last == nil
            guard isAttemptRecorded else { return }
            if last != nil { earlier.append(last!) }
            let sent = exchange.request.hasURL(url) ? url : exchange.request.url
            let number = exchange.attempt
            last = Attempt(
                // Texts take long, and the first attempt has no other reason.
                step: nextStep(), number: number, reason: number == 1 ? "first" : event["reason"] ?? "",
                method: exchange.request.method.name, url: sent, began: now(),
                waited: event.duration("waited") ?? .zero)
            attemptSize += 256 + sent.utf8.count
        } else if event.is("headReceived") {
            guard let head = event.head else { return }
            let (received, version, time) = (Head(status: head.status, fields: head.fields), event["version"], now())
            editLast {
                ($0.response, $0.version, $0.headed) = (received, version, time - $0.began)
                attemptSize += received.fields.memory
            }
        } else if event.is("attemptEnded") {
            var times = Times(total: event.duration("total") ?? .zero)
            // A transport that knows no times has no other either, and an open connection needs none for TLS.
            if times.total > .zero {
                times.nameLookup = event.duration("nameLookup") ?? .zero
                times.connect = event.duration("connect") ?? .zero
                if times.connect > .zero { times.tls = event.duration("tls") ?? .zero }
                times.firstByte = event.duration("firstByte") ?? .zero
            }
            let (address, time) = (event["address"], now())
            editLast {
                ($0.times, $0.ended, $0.address) = (times, time - $0.began, address)
                if address != nil { ($0.port, $0.localPort) = (event.integer("port"), event.integer("localPort")) }
            }
        } else if event.is("willComplete") {
            if let sender = exchange.sender { asker = (sender, event.integer("for")) }
            responder = event["respondedBy"]
        } else if event.is("sent") {
            let time = now()
            editLast { $0.sent = time - $0.began }
        } else if event.is("interim") {
            guard let head = event.head else { return }
            let interim = Head(status: head.status, fields: head.fields)
            editLast {
                guard $0.interim.count < 16 else { return }
                $0.interim.append(interim)
                attemptSize += interim.fields.memory
            }
        } else if event.is("progress") {
            let received = event.integer("received")
            editLast { $0.received = received }
        } else if event.is("hookReturned") {
            guard calls.count < Recording.callLimit else { return }
            calls.append(
                Call(
                    step: nextStep(), plugin: event["plugin"] ?? "", hook: event["hook"] ?? "",
                    visit: event["visit"] ?? "",
                    verdict: event["verdict"] ?? "",
                    changed: (event["changed"] ?? "").split(separator: " ").map { String($0) },
                    took: event.duration("took") ?? .zero))
        } else if facts.count < Recording.factLimit {
            facts.append(Fact(step: nextStep(), id: event.id, at: now(), details: event.details))
        }
    }

    private func nextStep() -> Int {
        stepCount += 1
        return stepCount
    }

    @inline(__always)
    private func editLast(_ edit: (inout Attempt) -> Void) {
        if isAttemptRecorded, last != nil { edit(&last!) }  // Checked before.
    }
}
