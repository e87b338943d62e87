import PlugboardKit

extension KernelSettings {
    /// The same with the hosts of pins in the form by which they are looked up.
    ///
    /// Throws `configuration` for what is no host, and for one that stands there twice: its pins would be ignored in silence.
    func normalizingPins() throws(PlugboardError) -> KernelSettings {
        var settings = self
        settings.pins = [:]
        for (host, pins) in pins {
            guard let normal = Origin.normalizedHost(host) else {
                throw PlugboardError(
                    .configuration,
                    "The pins of \(printable(host)) are for no host. Write its name alone, in ASCII: example.com or xn--…."
                )
            }
            guard settings.pins.updateValue(pins, forKey: normal) == nil else {
                throw PlugboardError(
                    .configuration, "The host \(normal) has pins twice, written differently. Keep one.")
            }
        }
        return settings
    }
}
