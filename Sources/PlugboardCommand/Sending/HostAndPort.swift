import Plugboard

/// Whether a text is `host:port`, as `kernel.connectTo` of a configuration has it.
func isHostAndPort(_ text: String) -> Bool {
    // Behind a scheme it is an origin already, and takes no other port.
    Origin("http://\(text)") != nil && Origin("http://\(text):1") == nil
}
