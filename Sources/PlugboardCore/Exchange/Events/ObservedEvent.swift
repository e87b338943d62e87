import PlugboardKit

/// A fact about an exchange or the kernel, as a program that watches gets it. Plugins get `Event`.
public struct ObservedEvent: Sendable {
    /// A detail of an event.
    public enum Detail: Sendable, Equatable {
        /// A text.
        case text(String)
        /// A number; durations are in nanoseconds.
        case integer(Int64)
    }

    /// One of `KernelEvent`'s names, or a plugin's own id (`cache.hit`).
    public let id: String
    /// What the event says, by name.
    public let details: [String: Detail]
    /// The head that the event is about (`interim`, `headReceived`).
    public let head: ResponseHead?
    /// The URL that has sent `head`.
    let url: String?

    /// The kernel's event, if it is one.
    public var kernelEvent: KernelEvent? { KernelEvent(name: id) }

    /// The number of that name, or nil if there is none.
    public func integer(_ name: String) -> Int64? {
        if case .integer(let value)? = details[name] { value } else { nil }
    }

    /// The duration of that name, such as `after` of `resendScheduled`, or nil if there is none.
    public func duration(_ name: String) -> Duration? { integer(name).map { .nanoseconds($0) } }

    /// The text of that name, or nil if there is none.
    public func text(_ name: String) -> String? {
        if case .text(let value)? = details[name] { value } else { nil }
    }
}

extension RequestNotice {
    /// Nil for other events.
    init?(_ event: ObservedEvent) {
        if event.id == KernelEvent.progress.name {
            func count(_ name: String) -> Int? { event.integer(name).map { Int(clamping: $0) } }
            var progress = TransferProgress()
            progress.sent = count("sent") ?? 0
            progress.toSend = count("toSend")
            progress.received = count("received") ?? 0
            progress.toReceive = count("toReceive")
            self = .progress(progress)
        } else if event.id == KernelEvent.interim.name, let head = event.head, let url = event.url {
            self = .interim(head, url: url)
        } else {
            return nil
        }
    }
}
