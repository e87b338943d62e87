import PlugboardKit

/// A fact about an exchange or the kernel, as a program that watches gets it: what `Event` is for
/// plugins, and may be kept.
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

    /// A detail as text, numbers in decimal; nil if there is none of that name.
    public subscript(name: String) -> String? {
        switch details[name] {
        case .text(let text)?: text
        case .integer(let number)?: "\(number)"
        case nil: nil
        }
    }

    /// A detail as a number; nil if there is none of that name, or it is no number. Plugins give numbers as texts.
    public func integer(_ name: String) -> Int? {
        switch details[name] {
        case .text(let text)?: Int(text)
        case .integer(let number)?: Int(number)
        case nil: nil
        }
    }

    /// A detail as a time, such as `after` of `resendScheduled`.
    public func duration(_ name: String) -> Duration? { integer(name).map { .nanoseconds(Int64($0)) } }
}

extension RequestNotice {
    /// Nil for other events.
    init?(_ event: ObservedEvent) {
        if event.id == KernelEvent.progress.name {
            var progress = TransferProgress()
            progress.sent = event.integer("sent") ?? 0
            progress.toSend = event.integer("toSend")
            progress.received = event.integer("received") ?? 0
            progress.toReceive = event.integer("toReceive")
            self = .progress(progress)
        } else if event.id == KernelEvent.interim.name, let head = event.head, let url = event.url {
            self = .interim(head, url: url)
        } else {
            return nil
        }
    }
}
