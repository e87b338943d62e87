import PlugboardKit

extension Recording {
    /// - Parameter time: Since the exchange began.
    func take(_ event: borrowing Event, at now: @autoclosure () -> Duration) {
        let id = event.id
        switch id {
        case "attemptBegan":
            isAttemptRecorded = attempts.count < Recording.attemptLimit
            guard isAttemptRecorded else { return }
            attempts.append(
                Attempt(
                    step: nextStep(), number: event.integer("attempt") ?? attempts.count + 1,
                    reason: event["reason"] ?? "",
                    method: event["method"] ?? method, url: event["url"] ?? url, began: now(),
                    waited: event.duration("waited") ?? .zero))
        case "sent":
            let time = now()
            editLast { $0.sent = time - $0.began }
        case "interim":
            guard let head = event.head else { return }
            let interim = Head(status: head.status, fields: head.fields)
            editLast { if $0.interim.count < 16 { $0.interim.append(interim) } }
        case "headReceived":
            guard let head = event.head else { return }
            let (received, version, time) = (Head(status: head.status, fields: head.fields), event["version"], now())
            editLast { ($0.response, $0.version, $0.headed) = (received, version, time - $0.began) }
        case "attemptEnded":
            let times = Times(
                nameLookup: event.duration("nameLookup") ?? .zero, connect: event.duration("connect") ?? .zero,
                tls: event.duration("tls") ?? .zero, firstByte: event.duration("firstByte") ?? .zero,
                total: event.duration("total") ?? .zero)
            let (address, port, local) = (event["address"], event.integer("port"), event.integer("localPort"))
            let time = now()
            editLast {
                ($0.times, $0.ended) = (times, time - $0.began)
                ($0.address, $0.port, $0.localPort) = (address, port, local)
            }
        case "willComplete":
            if let plugin = event["by"] { asker = (plugin, event.integer("for")) }
            responder = event["respondedBy"]
        case "progress":
            let received = event.integer("received")
            editLast { $0.received = received }
        case "hookReturned":
            guard calls.count < Recording.callLimit else { return }
            calls.append(
                Call(
                    step: nextStep(), plugin: event["plugin"] ?? "", hook: event["hook"] ?? "",
                    visit: event["visit"] ?? "",
                    verdict: event["verdict"] ?? "",
                    changed: (event["changed"] ?? "").split(separator: " ").map { String($0) },
                    took: event.duration("took") ?? .zero))
        case "created", "started", "resolved", "connected", "secured", "firstByte": break
        default:
            guard facts.count < Recording.factLimit else { return }
            facts.append(Fact(step: nextStep(), id: id, at: now(), details: event.details))
        }
    }

    private func nextStep() -> Int {
        stepCount += 1
        return stepCount
    }

    private func editLast(_ edit: (inout Attempt) -> Void) {
        if isAttemptRecorded, let last = attempts.indices.last { edit(&attempts[last]) }
    }
}
