import Plugboard
import PlugboardKit

/// Events of an exchange in words, for `--verbose`.
enum EventText {
    /// Nil for an event that other lines show.
    static func of(_ event: ObservedEvent) -> String? {
        switch event.kernelEvent {
        case .attemptBegan: event.integer("attempt") == 1 ? nil : "Attempt \(event["attempt"] ?? "")"
        case .attemptEnded: times(event)
        case .resendScheduled:
            "\(event["by"] ?? "A plugin") sends the request again \(delay(event.duration("after") ?? .zero))"
        case .completed: event["outcome"] == "ended" ? nil : "The exchange has ended: \(event["outcome"] ?? "")"
        case .pluginFaulted, .pluginDisabled, .pluginStalled, nil: generic(event)
        default: nil
        }
    }

    private static let steps = [
        ("nameLookup", "name look-up"), ("connect", "connection"), ("tls", "TLS"), ("firstByte", "first byte"),
        ("total", "end"),
    ]

    /// The times of an attempt; nil for one whose times the transport does not know.
    private static func times(_ event: ObservedEvent) -> String? {
        let parts = steps.compactMap { name, words in
            event.duration(name).flatMap { $0 > .zero ? "\(words) \(text($0))" : nil }
        }
        if parts.isEmpty { return nil }
        return "Attempt \(event["attempt"] ?? "") from its beginning: \(parts.joined(separator: ", "))"
    }

    private static func delay(_ duration: Duration) -> String {
        duration > .zero ? "after \(text(duration))" : "at once"
    }

    /// `redirect.followed` with its details: `redirect followed: from http://…, status 302, to http://…`.
    private static func generic(_ event: ObservedEvent) -> String {
        let details = event.details.keys.sorted().map { name -> String in
            let value = name == "after" ? event.duration(name).map(text) : event[name]
            return "\(words(name)) \(value ?? "")"
        }
        return words(event.id) + (details.isEmpty ? "" : ": \(details.joined(separator: ", "))")
    }

    /// `retry.circuitOpened` as `retry circuit opened`.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { words, character in
            if character == "." {
                words += " "
            } else if character.isUppercase {
                words += " \(character.lowercased())"
            } else {
                words.append(character)
            }
        }
    }

    /// The duration with one digit after the point: `12.3 ms`, `1.5 s`.
    static func text(_ duration: Duration) -> String {
        let milliseconds = duration >= .seconds(1) ? nil : tenths(duration / .milliseconds(1))
        return milliseconds.map { "\($0) ms" } ?? "\(tenths(duration / .seconds(1))) s"
    }

    private static func tenths(_ number: Double) -> String {
        let tenths = Int64((number * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
