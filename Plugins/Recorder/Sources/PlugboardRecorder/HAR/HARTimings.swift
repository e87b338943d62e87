import PlugboardKit

/// HAR's timings in milliseconds; -1 for a step that an attempt did not need. `ssl` is a part of `connect`.
struct HARTimings {
    private var blocked = -1.0
    private var dns = -1.0
    private var connect = -1.0
    private var ssl = -1.0
    private var send = 0.0
    private var wait = 0.0
    private var receive = 0.0

    /// - Parameters:
    ///   - attempt: Nil if there was none.
    ///   - took: The duration of the exchange, which counts as waiting if there were no attempts.
    init(_ attempt: Recording.Attempt?, took: Duration) {
        guard let attempt, var times = attempt.times else {
            wait = HARTimings.milliseconds(took)
            return
        }
        if attempt.waited > .zero { blocked = HARTimings.milliseconds(attempt.waited) }
        // Some transports know no times. Then those of this plugin's clock are used.
        if times.total == .zero { (times.firstByte, times.total) = (attempt.headed ?? .zero, attempt.ended ?? .zero) }
        var reached = Duration.zero
        func step(to time: Duration) -> Double {
            defer { reached = max(reached, time) }
            return HARTimings.milliseconds(max(time - reached, .zero))
        }
        if times.nameLookup > .zero { dns = step(to: times.nameLookup) }
        if times.connect > .zero {
            connect = step(to: times.connect)
            if times.tls > times.connect {
                ssl = step(to: times.tls)
                connect += ssl
            }
        }
        if let sent = attempt.sent { send = step(to: min(sent, max(times.firstByte, reached))) }
        if times.firstByte > .zero { wait = step(to: times.firstByte) }
        receive = step(to: times.total)
    }

    private static func milliseconds(_ time: Duration) -> Double { (time / .microseconds(1)).rounded() / 1000 }

    /// The sum; `ssl` is a part of `connect`.
    var total: JSONValue {
        HARTimings.number([blocked, dns, connect, send, wait, receive].filter { $0 > 0 }.reduce(0, +))
    }

    var json: JSONValue {
        [
            "blocked": HARTimings.number(blocked), "dns": HARTimings.number(dns),
            "connect": HARTimings.number(connect), "ssl": HARTimings.number(ssl), "send": HARTimings.number(send),
            "wait": HARTimings.number(wait), "receive": HARTimings.number(receive),
        ]
    }

    private static func number(_ milliseconds: Double) -> JSONValue {
        .number(JSONNumber((milliseconds * 1000).rounded() / 1000) ?? 0)
    }
}
