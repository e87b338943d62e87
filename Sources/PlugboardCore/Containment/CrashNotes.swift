import PlugboardKit

/// The notes that tell the next start what a process ended in. They lie in the kernel's own part of the data directory.
///
/// A program without plugins writes none. One whose plugins are all linked writes one where there is a slot for it: in the data
/// directory of the configuration, or in the user's, if that is there. For a plugin that is loaded, the slot is made.
///
/// Kernels write them, and tell, by themselves. This is for programs that load plugins without a kernel.
public struct CrashNotes: Sendable {
    private let data: DataDirectory
    private let isConfigured: Bool
    private let hasPlugins: Bool

    public init(_ configuration: Configuration) {
        data = DataDirectory(configuration.kernel)
        isConfigured = configuration.kernel.dataDirectory != nil
        hasPlugins = !configuration.plugins.isEmpty || !configuration.leftOut.isEmpty
    }

    /// Says what earlier runs of this program ended in, once. A configuration without any plugin, be it one that is switched off, says
    /// nothing and leaves that to the next. Blocks.
    public func tell(_ log: KernelLog) {
        guard hasPlugins, let folder = data.path(of: CrashNotes.folder) else { return }
        for report in CrashReport.take(from: folder) { log.write(.warning, "kernel", report.sentence) }
    }

    /// A loader that leaves a note of a file that ends the process. A `Lineup` has one anyway.
    public func noting(_ loader: any Loader) -> any Loader { NotedLoader(loader, notes: self) }

    /// For the time in which a file is loaded.
    func note(loading path: String) -> CrashNote? {
        note([path])
    }

    /// For the time in which plugins run.
    func note(running plugins: [EnabledPlugin]) -> CrashNote? {
        guard !plugins.isEmpty,
            isConfigured || data.isThere || plugins.contains(where: { $0.linkage != .linked })
        else { return nil }
        return note(plugins.map(\.id))
    }

    private func note(_ names: [String]) -> CrashNote? {
        guard case .made(let folder) = data.make(CrashNotes.folder) else { return nil }
        return CrashNote(folder: folder, names: names)
    }

    private static let folder = "kernel"
}

/// Marks in a note what it loads: constructors and entry functions are plugins' code, too.
struct NotedLoader: Loader {
    private var base: any Loader
    private let notes: CrashNotes

    init(_ base: any Loader, notes: CrashNotes) {
        self.base = base
        self.notes = notes
    }

    func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor {
        guard let note = notes.note(loading: path) else { return try base.load(path, sha256: sha256) }
        return try SideMarks(in: note).calling(0, .load) { () throws(PlugboardError) in
            try base.load(path, sha256: sha256)
        }
    }

    func searching(_ folders: [String]) -> NotedLoader {
        var loader = self
        loader.base = base.searching(folders)
        return loader
    }

    func inspect(_ path: String) throws(PlugboardError) -> PluginFile { try base.inspect(path) }
}
