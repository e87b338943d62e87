import Plugboard
import PlugboardEventLoop
import PlugboardJSON
import PlugboardRetry
import TestSupport

let anywhere = "http://origin.test/"

/// The plugin's events, a line each.
final class News: Sendable {
    private let record = Record()
    /// Admits one for each scheduled repetition.
    let scheduled = Gate()

    var lines: [String] { record.lines }

    func add(_ event: ObservedEvent) {
        guard event.id.hasPrefix("retry.") else { return }
        var words = [String(event.id.dropFirst("retry.".count))]
        words += ["attempt", "status", "code", "reason", "origin"].compactMap { event[$0] }
        if event["reason"] != "backoff", let after = News.delay(event) {
            words.append(DurationText(after).description)
        }
        record.add(words.joined(separator: " "))
        if event.id == "retry.scheduled" { scheduled.admit() }
    }

    static func delay(_ event: ObservedEvent) -> Duration? {
        event.duration("after")
    }
}

extension Kernel {
    /// Sends a request, and ends each delay as soon as it begins.
    func send(_ request: Request, passing clock: ManualClock, _ news: News = News()) async throws(PlugboardError)
        -> Response
    {
        let handle = begin(request) { event in
            news.add(event)
            if event.id == "retry.scheduled", let delay = News.delay(event) { clock.advance(by: delay) }
        }
        return try await handle.response
    }

    /// The error of a request; throws if the request succeeds.
    func failure(
        of request: Request, passing clock: ManualClock, _ news: News = News()
    ) async throws -> PlugboardError {
        do throws(PlugboardError) {
            _ = try await send(request, passing: clock, news)
        } catch {
            return error
        }
        throw PlugboardError("test", "The request succeeded.")
    }
}

/// Responds to so many attempts with this status, and to all others with 200.
func failing(_ times: Int, _ status: Int = 503, _ fields: Fields = Fields()) -> MockTransport {
    MockTransport { _, number in
        number <= times
            ? .respond(status, fields, ["response \(number)"]) : .respond(200, Fields(), ["response \(number)"])
    }
}

/// Fails all attempts.
func failing(_ code: PlugboardError.Code) -> MockTransport {
    MockTransport { _, _ in .failure(PlugboardError(code, "It failed.")) }
}
