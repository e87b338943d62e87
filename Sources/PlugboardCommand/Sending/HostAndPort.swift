import Plugboard

/// Whether a text is `host:port`, as in `kernel.connectTo` of a configuration.
func isHostAndPort(_ text: String) -> Bool {
    // With a scheme before it, it must be an origin to which no other port can be added.
    Origin("http://\(text)") != nil && Origin("http://\(text):1") == nil
}
