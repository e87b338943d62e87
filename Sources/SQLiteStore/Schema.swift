extension SQLiteStore {
    /// The layout of a file, and how older layouts become this one.
    public struct Schema: Sendable {
        /// Tells the file from those of other programs (`PRAGMA application_id`). Never zero.
        public let applicationID: Int32

        /// Scripts, of which the n-th brings a file of version n (`PRAGMA user_version`) to version n + 1. A script
        /// never changes once a file has been made with it; a new layout is one script more. All that a file lacks
        /// run in one transaction.
        public let migrations: [String]

        /// Bytes of a page; a power of two from 512 to 65536. Of files made from now on.
        public let pageSize: Int

        /// A script of pragmas, run each time the file is opened, such as `PRAGMA secure_delete = ON`.
        public let opening: String

        public init(applicationID: Int32, migrations: [String], pageSize: Int = 4096, opening: String = "") {
            self.applicationID = applicationID
            self.migrations = migrations
            self.pageSize = pageSize
            self.opening = opening
        }
    }
}
