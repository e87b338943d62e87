import PlugboardBorder

extension KernelSettings {
    /// These settings with the hosts of pins in the form by which they are looked up. Those of `errorsOfPinnedHosts`
    /// are left out.
    var normalizingPins: KernelSettings {
        var settings = self
        settings.pins = [:]
        for (host, pins) in pins {
            if let normal = Origin.normalizedHost(host) { settings.pins[normal] = pins }
        }
        return settings
    }

    /// Keys of pins that are no host, and hosts that are given twice, because such pins would be ignored. Each error is
    /// the end of a sentence. In the order of the keys.
    var errorsOfPinnedHosts: [(host: String, reason: String)] {
        var known: Set<String> = []
        return pins.keys.sorted().compactMap { host in
            guard let normal = Origin.normalizedHost(host) else {
                return (host, "are pins of no host; write its name alone, in ASCII: example.com or xn--…")
            }
            guard known.insert(normal).inserted else {
                return (host, "are pins of \(normal), which has pins already, written differently; keep one")
            }
            return nil
        }
    }
}
