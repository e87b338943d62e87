import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The notes that tell the next start what a process ended in. They lie in the kernel's own part of the data directory.
///
/// A program without plugins writes none. One whose plugins are all linked writes one where there is a place for it: in the data
/// directory of the configuration, or in the user's, if that is there. For a plugin that is loaded, the place is made.
struct CrashNotes {
    private let data: DataDirectory
    private let isConfigured: Bool

    init(_ settings: KernelSettings) {
        data = DataDirectory(settings)
        isConfigured = settings.dataDirectory != nil
    }

    /// Says what earlier processes ended in, once.
    func tell(_ log: KernelLog) {
        guard let folder = data.path(of: CrashNotes.folder) else { return }
        for found in CrashNote.collect(folder: folder) { log.write(.warning, "kernel", CrashNotes.sentence(found)) }
    }

    /// For the time in which files are loaded; nil if there are none.
    func note(loading paths: [String]) -> CrashNote? {
        paths.isEmpty ? nil : data.make(CrashNotes.folder).flatMap { CrashNote(folder: $0, names: paths) }
    }

    /// For the time in which plugins run.
    func note(running plugins: [EnabledPlugin]) -> CrashNote? {
        guard !plugins.isEmpty,
            isConfigured || data.isThere || plugins.contains(where: { $0.linkage != .linked })
        else { return nil }
        return data.make(CrashNotes.folder).flatMap { CrashNote(folder: $0, names: plugins.map(\.id)) }
    }

    private static let folder = "kernel"

    private static func sentence(_ found: [CrashNote.Finding]) -> String {
        let calls = found.map { call in
            call.hook == .load
                ? "it loaded the plugin \(printable(call.plugin))"
                : "the plugin \(printable(call.plugin)) was in \(call.hook)"
        }
        let plugins = found.count == 1 ? "that plugin" : "one of them"
        return "An earlier process ended while \(calls.joined(separator: " and ")). If that happens again, switch "
            + "\(plugins) off (\"enabled\": false in the configuration); --safe starts the command without loaded plugins."
    }
}

/// A loader that marks in a note what it loads: constructors and entry functions are plugins' code, too.
struct NotedLoader: Loader {
    private var base: any Loader
    private let marks: SideMarks
    private let paths: [String]

    /// - Parameter paths: What the note names.
    init(_ base: any Loader, note: CrashNote, paths: [String]) {
        self.base = base
        marks = SideMarks(in: note)
        self.paths = paths
    }

    func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor {
        guard let place = paths.firstIndex(of: path) else { return try base.load(path, sha256: sha256) }
        return try marks.calling(place, .load) { () throws(PlugboardError) in
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
