/// The events that observers of the program want: a bit for each of the kernel's, and one for all of plugins.
struct WantedEvents: OptionSet, Sendable {
    let rawValue: UInt64

    static let all = WantedEvents(rawValue: .max)
    static let ofPlugins = WantedEvents(rawValue: 1 << 63)
    static let attemptEnded = WantedEvents(.attemptEnded)
    /// Milestones and progress, which cost the transport time.
    static let close = WantedEvents(KernelEvent.close.map { WantedEvents($0) })

    @inline(__always)
    init(rawValue: UInt64) { self.rawValue = rawValue }

    @inline(__always)
    init(_ event: KernelEvent) { rawValue = 1 &<< UInt64(truncatingIfNeeded: event.rawValue) }

    /// - Parameter ids: The ids of events; nil for all.
    init(ids: Set<String>?) {
        self = ids.map { WantedEvents($0.map { KernelEvent(name: $0).map { WantedEvents($0) } ?? .ofPlugins }) } ?? .all
    }
}
