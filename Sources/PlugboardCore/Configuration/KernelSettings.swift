import PlugboardBorder
package import PlugboardCurl

/// The kernel's own settings. How requests are sent by default can be read and set here directly: `kernel.timeout`.
///
/// By default, a connection must be open within 30 s, and an exchange may be silent for 60 s. Neither an attempt nor
/// an exchange has a total limit, because only the program knows how long its downloads may take.
@dynamicMemberLookup
public struct KernelSettings: Sendable, Equatable {
    /// The options of requests that do not set them. A nil timeout means no limit.
    public var defaults: RequestOptions
    /// An absolute URL from which the relative URLs of the program's requests begin (RFC 3986 §5); nil for none. Those
    /// of plugins' sub-requests are absolute.
    public var baseURL: String?
    /// Header fields that are added to the program's requests without them, by their names. They are the request's own:
    /// the secret ones, such as `Authorization` and `X-Api-Key`, are dropped when a redirect leaves the origin.
    /// Sub-requests of plugins do not have them.
    public var headers: [String: String] {
        get { headerDefaults.values }
        set { headerDefaults.values = newValue }
    }
    private var headerDefaults = HeaderDefaults()
    /// Names of header fields that are secret in all requests and responses, in addition to those that always are.
    public var secretFields: [String] = []
    /// The trusted certificates, the pins of hosts, and the client's certificate.
    public var tls: TLS {
        get { TLS(options: defaults.tls, pins: pins) }
        set { (defaults.tls, pins) = (newValue.options, newValue.pins) }
    }
    /// `tls.pins`.
    package var pins: [String: [String]] = [:]
    /// The number of event loops. Each has its own thread, and the exchanges are shared among them. Use several if one
    /// processor core is not enough. Nil means the value of the environment variable `PLUGBOARD_LOOPS`, or one.
    /// There are never more than `connections` and `connectionsPerHost` if these are limits; each loop has its share,
    /// with `automatic` at least 8.
    public var loops: LoopCount?
    /// Connections at a time; 0 for no limit. Each attempt counts as one, even if attempts share a connection.
    public var connections = 0
    /// Connections at a time to one origin (scheme, host and port); 0 for no limit. Hosts that respond in HTTP/2 are
    /// not limited, because their exchanges share connections. An exchange that finds none free waits without an error
    /// until its `timeout`. Sub-requests of plugins count, but do not wait.
    public var connectionsPerHost = 64
    /// Idle connections that are kept for later requests; at least 1, and each loop has its share. A loop on which more
    /// attempts ran at a time keeps twice their number. A program that asks many hosts in turn needs as many as there
    /// are hosts; each needs a file descriptor.
    public var idleConnections = 256
    /// Attempts and hops of one exchange, after which it fails as `runaway`.
    public var attemptLimit = 50
    /// The most bytes of one body that wait in the transport; then the sender is slowed. As many again may wait for the
    /// program's reader.
    public var bufferLimit = ByteCount.mebibytes(1)
    /// Whether the server must send `close_notify` before a TLS connection whose end is the end of a body. Without it,
    /// an attacker may have ended the connection, and the body is an error (RFC 9112 §9.8). False is for servers that
    /// never send it. It is not demanded of a proxy: through an https proxy, the body of an http URL that ends with its
    /// connection counts as whole.
    public var closeNotify = true
    /// The folder under which each plugin has its own, and the kernel, which records there which plugin runs, so that
    /// the next start can name the plugin of a crash; nil for the user's folder for such data.
    public var dataDirectory: String?
    /// The only folders that plugins may be loaded from, after symbolic links are resolved; empty: any folder. A
    /// plugin's path that is a bare file name is looked for in them, in order.
    public var pluginFolders: [String] = []
    /// A Unix domain socket over which this user's other processes can see and steer the kernel while it runs
    /// (`plugboard attach`); nil for none. The kernel needs a `control` for it.
    public var control: String?
    /// The lowest level that is printed.
    public var logLevel = LogLevel.info

    /// Receives what the transport logs, sends and receives.
    package var wireLog: WireLog?

    /// A plugin that holds the loop in one call for longer is named in the log and in the event `pluginStalled`; nil
    /// disables this.
    public var hookTimeLimit: Duration? = .seconds(1)
    /// Whether calls of hooks, and the time they take, are counted.
    public var measureHooks = false

    /// TLS for all requests of a kernel. A request has pins for its own server; a kernel has them by hosts.
    @dynamicMemberLookup
    public struct TLS: Sendable, Equatable {
        var options: RequestOptions.TLS
        /// Public keys that the servers of a host may have, `sha256//BASE64`, by the host's name in any case, or its
        /// address. A name beyond ASCII is written `xn--…`.
        public var pins: [String: [String]]

        /// The options of TLS for requests that do not say otherwise: `kernel.tls.ca`.
        public subscript<Value>(dynamicMember option: WritableKeyPath<RequestOptions.TLS, Value>) -> Value {
            get { options[keyPath: option] }
            set { options[keyPath: option] = newValue }
        }
    }

    /// The default settings.
    public init() {
        defaults = RequestOptions()
        defaults.connectTimeout = .seconds(30)
        defaults.idleTimeout = .seconds(60)
    }

    /// An option of requests that do not set it themselves.
    public subscript<Value>(dynamicMember option: WritableKeyPath<RequestOptions, Value>) -> Value {
        get { defaults[keyPath: option] }
        set { defaults[keyPath: option] = newValue }
    }
}
