import PlugboardBorder
import PlugboardJSON
import PlugboardSystem

extension PluginResolver {
    /// Warns of an interface that does not exist. It is no error, because it may appear later, such as that of a VPN;
    /// but requests fail until then.
    mutating func checkInterface() {
        guard var name = configuration.kernel.interface?[...], !name.isEmpty else { return }
        // libcurl's form for a name that must not be read as an address; the other form is the name of a host.
        if name.hasPrefix("host!") { return }
        if name.hasPrefix("if!") { name = name.dropFirst(3) }
        guard if_nametoindex(String(name)) == 0, !isOwnAddress(String(name)) else { return }
        let location = JSONPath(["kernel", "interface"])
        warnings.append(
            "\(location) is \(Printable.text(String(name))), which is neither an interface nor an address of this machine now, so that "
                + "requests fail until it is")
    }

    /// Whether a socket can be bound to the address. Sends nothing.
    private func isOwnAddress(_ text: String) -> Bool {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(text, nil, &hints, &list) == 0, let list else { return false }
        defer { freeaddrinfo(list) }
        let descriptor = socket(list.pointee.ai_family, list.pointee.ai_socktype | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        return bind(descriptor, list.pointee.ai_addr, list.pointee.ai_addrlen) == 0
    }
}
