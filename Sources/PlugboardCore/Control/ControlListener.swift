import PlugboardBorder
import PlugboardJSON

/// Listens at the socket `kernel.control`: `.socket` of the module PlugboardControl.
public protocol ControlListener: Sendable {
    /// Listens at a path, before the kernel's plugins are created. Blocks for a moment.
    func listen(at path: String) throws(PlugboardError) -> any ControlSocket
}

/// The socket of one kernel. From any thread.
public protocol ControlSocket: AnyObject, Sendable {
    /// Serves its peers from now on; called once, when the plugins are started. It must hold the kernel weakly.
    func serve(_ kernel: Kernel)

    /// Takes no more peers and removes the socket's file; ends those that are connected soon. Does not wait for them.
    /// May be called twice.
    func close()
}

extension Configuration {
    /// Nil without a socket in the configuration.
    func listen(with listener: (any ControlListener)?) throws(PlugboardError) -> (any ControlSocket)? {
        guard let path = kernel.control else { return nil }
        let location: JSONPath = ["kernel", "control"]
        guard let listener else {
            throw PlugboardError([
                ConfigurationError(
                    location,
                    "names a socket, but this program is built without PlugboardControl; import it and pass "
                        + "`control: .socket`", in: source)
            ])
        }
        do throws(PlugboardError) {
            return try listener.listen(at: path)
        } catch {
            throw PlugboardError([ConfigurationError(location, error.reason, in: source, code: error.code)])
        }
    }
}
