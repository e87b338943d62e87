import PlugboardCore
import PlugboardIndicatorOptions

extension IndicatorFeed {
    /// Receives an event of the kernel, as `Kernel(watch:)` gets it. Events of others are ignored.
    public func receive(_ event: ObservedEvent) { receive(id: event.id) { event[$0] } }
}
