import PlugboardBorder

/// Opens plugins that are shared objects.
public protocol PluginFileLoader: Sendable {
    /// Inspects, verifies and opens a file, once; never closes it. Loading a file twice gives the same descriptor.
    func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor
    /// A loader that is limited to files in these folders; bare names are looked for in them, in order.
    func searching(_ folders: [String]) -> Self

    /// Reads the file's metadata without running its code.
    func inspect(_ path: String) throws(PlugboardError) -> PluginFile
}

/// A shared object before it is opened.
public struct PluginFile: Sendable {
    /// The contents of the file's section `plugboard`.
    public struct Metadata: Sendable, Equatable {
        /// The revision of the ABI that the plugin was built for.
        public let revision: UInt32
        /// The plugin's id.
        public let id: String
        /// The plugin's version.
        public let version: String

        /// What a loader has read.
        public init(revision: UInt32, id: String, version: String) {
            self.revision = revision
            self.id = id
            self.version = version
        }
    }

    /// The absolute path.
    public let path: String
    /// The metadata; nil if the file has no section `plugboard`.
    public let metadata: Metadata?
    /// The name of the exported function.
    public let entry: String
    /// The SHA-256 of the whole file, in lower-case hexadecimal.
    public let sha256: String

    /// What a loader has read.
    public init(path: String, metadata: Metadata?, entry: String, sha256: String) {
        self.path = path
        self.metadata = metadata
        self.entry = entry
        self.sha256 = sha256
    }
}
