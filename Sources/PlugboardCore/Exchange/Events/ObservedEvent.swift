import PlugboardBorder

/// An event of an exchange or the kernel, as a program gets it: a value that it can keep.
///
/// Plugins get the same event as an `Event`, which is valid until the call returns. It has the same members, without
/// `details` and `kernelEvent`.
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

    /// Whether this is the event of that id.
    public func `is`(_ id: StaticString) -> Bool { self.id == id.description }

    /// The detail with this name as text; a number is written in decimal digits. Nil if there is no such detail.
    public subscript(name: String) -> String? {
        switch details[name] {
        case .text(let text): text
        case .integer(let number): "\(number)"
        case nil: nil
        }
    }

    /// The detail with this name as a number. Nil if there is no such detail, or if it is not a number.
    public func integer(_ name: String) -> Int? {
        switch details[name] {
        case .integer(let number): Int(clamping: number)
        case .text(let text): Int(text)
        case nil: nil
        }
    }

    /// The duration of that name, such as `after` of `resendScheduled`, or nil if there is none.
    public func duration(_ name: String) -> Duration? { integer(name).map { .nanoseconds($0) } }

    /// The bytes of both bodies, if this is the kernel's event `progress`.
    public var progress: TransferProgress? {
        id == KernelEvent.progress.name ? TransferProgress(details: integer) : nil
    }
}

extension RequestNotice {
    /// Nil for other events.
    package init?(_ event: ObservedEvent) {
        if let progress = event.progress {
            self = .progress(progress)
        } else if event.id == KernelEvent.interim.name, let head = event.head, let url = event.url {
            self = .interim(head, url: url)
        } else {
            return nil
        }
    }
}
