import CPlugboard
import PlugboardCore
import PlugboardKit
import PlugboardSystem
import Synchronization

/// Opens plugins with libltdl after it has checked their files.
///
///     path ─▶ file ─▶ folder ─▶ trust ─▶ ELF ─▶ revision ─▶ sha256 ─▶ open ─▶ entry ─▶ descriptor ─▶ id and version
///
/// Each step has its own error code (`LoadingCodes.swift`). No code of the file runs before `open`.
///
/// With `folders`, only files inside one of them are loaded, after all symbolic links are resolved; a relative path or
/// a file name is searched for in the folders, in their order. Without `folders`, a path with a slash is relative to
/// the working folder, and a file name without one is refused. The system's search paths, `LTDL_LIBRARY_PATH` and `.la`
/// files are never used; the system's loader finds the libraries that a plugin needs by its own rules.
///
/// May be called on any thread, except in a plugin's constructor or entry function. A lock serializes all loaders of a
/// process.
public struct DynamicLoader: PluginFileLoader {
    private let folders: [String]?

    /// - Parameter folders: The folders that plugins may be loaded from; nil for all.
    public init(folders: [String]? = nil) {
        self.folders = folders
    }

    /// A loader for files in these folders only.
    public func searching(_ folders: [String]) -> DynamicLoader { DynamicLoader(folders: folders) }

    /// Checks and opens a file, which runs its constructors and its entry function. An opened object stays in the
    /// process, even if it is refused after that. Throws `loading.…`.
    ///
    /// - Parameter sha256: The pin, 64 hexadecimal digits in either case; nil for none.
    public func load(_ path: String, sha256: String?) throws(PlugboardError) -> PluginDescriptor {
        try resident.withLock { resident throws(PlugboardError) in
            let walk = try PathWalk(to: try resolve(path))
            try checkFolder(of: walk.end, path)
            try Trust(user: geteuid()).check(walk.steps)
            if let known = resident[walk.end], let descriptor = known.unchanged(at: walk.end, pin: sha256) {
                return descriptor
            }
            let candidate = try Candidate(path: walk.end)
            let metadata = try candidate.object.metadata()
            try checkRevision(metadata, walk.end)
            let entry = try candidate.object.entry()
            try candidate.check(pin: sha256)
            if let known = resident[walk.end] {
                // The system's loader identifies an object by its name, and would return the old code for the new file.
                guard known.sha256 == candidate.sha256 else {
                    throw FileSnapshot.changed(walk.end, "since it was loaded")
                }
                if let descriptor = known.descriptor { return descriptor }
            }
            let object = try candidate.open { resident[walk.end] = Resident(sha256: $0) }
            let descriptor = try object.descriptor(from: entry)
            try compare(metadata, with: descriptor, walk.end)
            resident[walk.end]?.descriptor = descriptor
            resident[walk.end]?.identity = candidate.identity
            return descriptor
        }
    }

    /// Reads a file without opening it: any file that this user may read, in any folder, trusted or not, of any
    /// revision.
    public func inspect(_ path: String) throws(PlugboardError) -> PluginFile {
        let walk = try PathWalk(to: try resolve(path))
        let candidate = try Candidate(path: walk.end)
        return PluginFile(
            path: walk.end, metadata: try candidate.object.metadata(), entry: try candidate.object.entry(),
            sha256: candidate.sha256)
    }

    /// The absolute path of the first existing file; it may contain links.
    private func resolve(_ path: String) throws(PlugboardError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw PlugboardError(.loadingMissing, "A plugin's path is empty or contains NUL. Name its file.")
        }
        if path.hasPrefix("/") { return path }
        guard folders != nil || path.contains("/") else {
            throw PlugboardError(
                .loadingMissing,
                "The plugin '\(path)' cannot be found: a file name is searched for only in configured folders. Give an "
                    + "absolute path.")
        }
        let working = WorkingFolder.path
        let candidates = (folders ?? ["."]).map { $0.hasPrefix("/") ? "\($0)/\(path)" : "\(working)/\($0)/\(path)" }
        if let found = candidates.first(where: { access($0, F_OK) == 0 }) { return found }
        guard let first = candidates.first else {
            throw PlugboardError(
                .loadingMissing,
                "The plugin '\(path)' cannot be found: no folders of plugins are configured. Give an absolute path.")
        }
        guard candidates.count > 1 else { return first }
        throw PlugboardError(
            .loadingMissing,
            "The plugin '\(path)' cannot be found: none of \(candidates.joined(separator: ", ")) exists. Check the name "
                + "and the folders.")
    }

    /// Throws `loading.folder` if a path without links is outside all folders.
    private func checkFolder(of end: String, _ path: String) throws(PlugboardError) {
        guard let folders else { return }
        let isInside = folders.contains { folder in
            guard let resolved = realpath(folder, nil) else { return false }
            defer { free(resolved) }
            let folder = String(cString: resolved)
            return end.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
        }
        guard !isInside else { return }
        let what = end == path ? "The plugin \(end)" : "The plugin \(path) is the file \(end), which"
        throw PlugboardError(
            .loadingFolder,
            "\(what) is outside the folders that plugins may be loaded from: \(folders.joined(separator: ", ")). "
                + "Install it in one of them, or add its folder to kernel.pluginFolders.")
    }

    private func checkRevision(_ metadata: PluginFile.Metadata?, _ path: String) throws(PlugboardError) {
        guard let metadata, metadata.revision != PLUG_ABI_REVISION else { return }
        throw PlugboardError(
            .loadingRevision,
            "The plugin \(metadata.id) at \(path) uses revision \(metadata.revision) of the ABI, and this kernel uses "
                + "revision \(PLUG_ABI_REVISION). Rebuild the plugin with this kernel's plugboard.h.")
    }

    private func compare(
        _ metadata: PluginFile.Metadata?, with descriptor: PluginDescriptor, _ path: String
    ) throws(PlugboardError) {
        guard let metadata, metadata.id != descriptor.id || metadata.version != descriptor.version else { return }
        throw PlugboardError(
            .loadingMetadata,
            "The plugin \(path) contradicts itself: it is '\(metadata.id) \(metadata.version)' in its section "
                + "'plugboard', and '\(descriptor.id) \(descriptor.version)' in its descriptor. Its author must make "
                + "them equal.")
    }
}

extension PluginFileLoader where Self == DynamicLoader {
    /// A loader of plugins by absolute paths, or by paths relative to the working folder.
    public static var dynamic: DynamicLoader { DynamicLoader() }
}

/// The opened objects by their paths without links. There is one lock in a process, because libltdl is not thread-safe.
private let resident = Mutex<[String: Resident]>([:])

private struct Resident {
    /// Nil if the file changed while it was opened.
    let sha256: String?
    /// Nil if it was refused after it was opened.
    var descriptor: PluginDescriptor?
    var identity: FileSnapshot.Identity?

    /// The loaded object if its file has not changed, so that the file is not read again.
    func unchanged(at path: String, pin: String?) -> PluginDescriptor? {
        guard let identity, identity == FileSnapshot.Identity(path: path) else { return nil }
        return pin == nil || pin?.lowercased() == sha256 ? descriptor : nil
    }
}
