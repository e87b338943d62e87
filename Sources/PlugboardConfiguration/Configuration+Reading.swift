import PlugboardBorder
import PlugboardCore
import PlugboardJSON
import PlugboardSystem

// Configurations are JSON with comments and trailing commas, read strictly: everything unknown is an error.
extension Configuration {
    /// Reads a file. Relative paths in it begin at the file's folder.
    ///
    /// Errors in parts of it are kept: a `Kernel` and `errors` report them, together with all others.
    /// - Parameter sections: Further keys that may stand at the top; what they hold is kept unread.
    /// - Throws: An error of the code `configuration` if the file cannot be read, or is not JSON.
    public static func file(_ path: String, sections: Set<String> = []) throws(PlugboardError) -> Configuration {
        let check = check(file: path, sections: sections)
        guard let configuration = check.readable else { throw PlugboardError(check.errors) }
        return configuration
    }

    /// Reads a text. Relative paths in it begin at the folder, or at the process's folder without one.
    ///
    /// - Throws: One error of the code `configuration` that lists all errors.
    public static func text(
        _ text: String, folder: String? = nil, sections: Set<String> = []
    ) throws(PlugboardError) -> Configuration {
        try check(text.utf8, folder: folder, sections: sections).throwing()
    }

    /// A configuration, or its errors.
    public struct Check: Sendable {
        /// Nil if there are errors.
        public var configuration: Configuration? { errors.isEmpty ? readable : nil }
        /// The parts that could be read, to find further errors (`Configuration.errors`); nil if there are none.
        public let readable: Configuration?
        /// The errors in the order of the text, at most the first hundred.
        public let errors: [ConfigurationError]

        func throwing() throws(PlugboardError) -> Configuration {
            guard let configuration else { throw PlugboardError(errors) }
            return configuration
        }
    }

    /// Reads a file as `file` does, but returns the errors. A file that cannot be read is an error of the whole.
    public static func check(file path: String, sections: Set<String> = []) -> Check {
        switch SmallFile.bytes(of: path, limit: options.sizeLimit) {
        case .success(let bytes):
            check(bytes, folder: SmallFile.folder(of: path), file: path, sections: sections)
        case .failure(let cause):
            Check(whole: cause.reason, file: path)
        }
    }

    /// Reads a text as `text` does, but returns the errors.
    public static func check(
        _ bytes: some Sequence<UInt8>, folder: String? = nil, sections: Set<String> = []
    ) -> Check {
        check(bytes, folder: folder, file: nil, sections: sections)
    }

    private static func check(
        _ bytes: some Sequence<UInt8>, folder: String?, file: String?, sections: Set<String>
    ) -> Check {
        do throws(JSONError) {
            let (value, positions) = try JSONParser.parseWithPositions(bytes, options: options)
            var configuration = Configuration()
            var reading = ConfigurationReading(
                folder: folder, source: ConfigurationSource(file: file, positions: positions))
            reading.readMembers(
                of: ConfigurationNode(value: value, path: []), keys(sections: sections), into: &configuration)
            configuration.source = reading.source
            configuration.folder = folder
            configuration.readingErrors = reading.errors
            configuration.keepFileNames()
            return Check(readable: configuration, errors: reading.errors)
        } catch {
            return Check(whole: "cannot be read: \(error.reason)", file: file, position: error.position)
        }
    }

    /// With folders of plugins, a path without a slash is a file's name, which is looked for in them.
    private mutating func keepFileNames() {
        guard !kernel.pluginFolders.isEmpty else { return }
        for index in plugins.indices {
            if let name = plugins[index].fileName { plugins[index].path = name }
        }
    }

    private static let options: JSONParser.Options = {
        var options = JSONParser.configuration
        options.sizeLimit = 4 << 20
        return options
    }()
}

extension Configuration.Check {
    fileprivate init(whole reason: String, file: String?, position: JSONPosition? = nil) {
        let error = ConfigurationError(code: .configuration, file: file, path: "", position: position, reason: reason)
        self.init(readable: nil, errors: [error])
    }
}
