import PlugboardCore
import PluginLoader

/// The plugin's file.
extension Check {
    static let loading = Check("load", "the file is loaded with all symbols bound") { subject in
        do throws(PlugboardError) {
            _ = try DynamicLoader.dynamic.load(subject.path, sha256: nil)
        } catch {
            // Errors of the descriptor belong to other checks; these codes come only when the object could be opened.
            guard [.loadingMetadata, .loadingDescriptor].contains(error.code) else {
                throw CheckEnd.failed("\(error.code): \(error.reason)\(error.underlying.map { " (\($0))" } ?? "")")
            }
        }
        return ""
    }

    static let exports = Check("exports", "only the entry function is exported") { subject in
        _ = try subject.rawDescriptor()
        let file = try subject.inspected()
        guard let symbols = ExportedSymbols(of: file.path) else { throw CheckEnd.untried("it has no table of symbols") }
        let foreign = symbols.foreign(entry: file.entry)
        guard foreign.isEmpty else {
            let shown = foreign.prefix(3).joined(separator: ", ") + (foreign.count > 3 ? ", …" : "")
            throw CheckEnd.warned(
                "it exports \(foreign.count) more names, which can clash with those of other plugins: \(shown). "
                    + "Compile with -fvisibility=hidden, and link with a version script")
        }
        let swift = symbols.names.count { $0.hasPrefix("$s") }
        return swift == 0 ? "" : "beside \(swift) names of Swift, which are mangled with their module"
    }

    static let metadata = Check("metadata", "the ELF section says the same as the descriptor") { subject in
        guard let metadata = try subject.inspected().metadata else {
            throw CheckEnd.warned(
                "it has no section 'plugboard', so it must be run to be known; write PLUGBOARD_METADATA")
        }
        let raw = try subject.rawDescriptor().pointee
        let (id, version) = (raw.id.string, raw.version.string)
        guard metadata.id == id, metadata.version == version, metadata.revision == raw.abi_revision else {
            throw CheckEnd.failed(
                "the section says '\(metadata.id) \(metadata.version)' of revision \(metadata.revision), the "
                    + "descriptor '\(id) \(version)' of revision \(raw.abi_revision)")
        }
        return ""
    }
}
