import PlugboardKit

/// Opens plugins that are shared objects.
public protocol Loader: Sendable {
    /// Inspects, verifies and opens a file, once; never closes it. The same file twice gives the same descriptor.
    func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor
    /// The same loader, for files in these folders only; bare names are looked for in them, in order.
    func searching(_ folders: [String]) -> Self

    /// What the file says of itself, without running its code.
    func inspect(_ path: String) throws(PlugboardError) -> PluginFile
}

/// A shared object, as it can be read without running its code.
public struct PluginFile: Sendable {
    /// What the file's section `plugboard` says.
    public struct Metadata: Sendable, Equatable {
        /// The revision of the ABI that the plugin speaks.
        public let revision: UInt32
        /// The plugin's id.
        public let id: String
        /// The plugin's own version.
        public let version: String

        /// Metadata with these values.
        public init(revision: UInt32, id: String, version: String) {
            self.revision = revision
            self.id = id
            self.version = version
        }
    }

    /// Absolute.
    public let path: String
    /// Nil if the file has no such section.
    public let metadata: Metadata?
    /// The name of the exported function.
    public let entry: String
    /// Of the whole file, in lower-case hexadecimal.
    public let sha256: String

    /// A file with these values.
    public init(path: String, metadata: Metadata?, entry: String, sha256: String) {
        self.path = path
        self.metadata = metadata
        self.entry = entry
        self.sha256 = sha256
    }
}
