import PlugboardKit

/// Notes in the kernel's part of the data directory that tell the next start in which plugin a process has crashed.
///
/// A program without plugins writes none. A program whose plugins are all linked writes one if the configuration names
/// a data directory, or if the user's exists. For a plugin that is loaded, the directory is made.
///
/// Kernels use them by themselves. This type is for programs that load plugins without a kernel.
package struct CrashNotes: Sendable {
    private let data: DataDirectory
    private let isConfigured: Bool
    private let hasPlugins: Bool

    /// The notes for programs with this configuration.
    package init(_ configuration: Configuration) {
        data = DataDirectory(configuration.kernel)
        isConfigured = configuration.kernel.dataDirectory != nil
        hasPlugins = !configuration.plugins.isEmpty || !configuration.leftOut.isEmpty
    }

    /// Logs once in which plugins earlier runs of this program have crashed. A configuration that names no plugins at
    /// all, not even switched-off ones, logs nothing and leaves the notes. Blocks.
    package func report(to log: KernelLog) {
        guard hasPlugins, let folder = data.path(of: CrashNotes.folder) else { return }
        for report in CrashReport.take(from: folder) { log.write(.warning, "kernel", report.sentence) }
    }

    /// A loader that leaves a note if loading a file crashes the process. `ResolvedPlugins` uses one by itself.
    package func noting(_ loader: any PluginFileLoader) -> any PluginFileLoader { NotedLoader(loader, notes: self) }

    /// A note for the time in which a file is loaded.
    func note(loading path: String) -> CrashNote? {
        note([path])
    }

    /// A note for the time in which plugins run, on so many loops.
    func note(running plugins: [EnabledPlugin], loops: Int = 1) -> CrashNote? {
        guard !plugins.isEmpty,
            isConfigured || data.isThere || plugins.contains(where: { $0.linkage != .linked })
        else { return nil }
        return note(plugins.map(\.id), loops: loops)
    }

    private func note(_ names: [String], loops: Int = 1) -> CrashNote? {
        guard case .made(let folder) = data.make(CrashNotes.folder) else { return nil }
        return CrashNote(folder: folder, names: names, loops: loops)
    }

    private static let folder = "kernel"
}

/// Marks in a note which file it loads, because constructors and entry functions are code of plugins too.
struct NotedLoader: PluginFileLoader {
    private var base: any PluginFileLoader
    private let notes: CrashNotes

    init(_ base: any PluginFileLoader, notes: CrashNotes) {
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
