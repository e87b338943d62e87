extension SQLiteStore {
    /// The layout of a file, and the migrations from older layouts.
    public struct Schema: Sendable {
        /// Distinguishes the file from those of other programs (`PRAGMA application_id`). Never zero.
        public let applicationID: Int32

        /// Scripts of SQL: the one at index n changes a file of version n (`PRAGMA user_version`) to version n + 1. A
        /// script must not change after files were made with it; a new layout is another script. All scripts that a
        /// file needs run in one transaction.
        public let migrations: [String]

        /// The bytes of a page in new files: a power of two from 512 to 65536.
        public let pageSize: Int

        /// A script of pragmas, run each time the file is opened, such as `PRAGMA secure_delete = ON`.
        public let opening: String

        /// Creates a schema. Its scripts are not checked before a file is opened.
        public init(
            applicationID: Int32, migrations: [String], pageSize: Int = 4096, opening: String = ""
        ) {
            self.applicationID = applicationID
            self.migrations = migrations
            self.pageSize = pageSize
            self.opening = opening
        }
    }
}
