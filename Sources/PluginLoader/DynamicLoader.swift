import CPlugboard
import Glibc
import PlugboardCore
import PlugboardKit
import Synchronization

/// Opens plugins with libltdl, after it has made sure of what they are.
///
///     path ─▶ file ─▶ folder ─▶ trust ─▶ ELF ─▶ revision ─▶ sha256 ─▶ open ─▶ entry ─▶ descriptor ─▶ id and version
///
/// Each step has its own refusal (`LoadingCodes.swift`); up to `open` nothing of the file has run.
///
/// With `folders`, only files that lie in one of them are loaded, after all symbolic links are resolved. A relative path or
/// a bare file name is looked for in the folders, in their order. Without `folders`, a path with a slash is relative to the
/// working folder, and a bare name is refused. The system's search paths, `LTDL_LIBRARY_PATH` and `.la` files are never
/// used; for the libraries a plugin needs, the system's loader follows its own rules.
///
/// May be called from any thread; all loaders of a process take turns. Not from a plugin's constructor or entry
/// function.
public struct DynamicLoader: Loader {
    private let folders: [String]?

    public init(folders: [String]? = nil) {
        self.folders = folders
    }

    /// The same loader, for files in these folders only.
    public func searching(_ folders: [String]) -> DynamicLoader { DynamicLoader(folders: folders) }

    /// Runs the file's constructors and its entry function. An object that was opened stays, even if it was refused
    /// after.
    ///
    /// `sha256` is 64 hexadecimal digits, in either case.
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
                // The system's loader knows it by its name, and would give the old code for the new file.
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

    /// Reads a file that this user may read, trusted or not, in any folder, whatever its revision.
    public func inspect(_ path: String) throws(PlugboardError) -> PluginFile {
        let walk = try PathWalk(to: try resolve(path))
        let candidate = try Candidate(path: walk.end)
        return PluginFile(
            path: walk.end, metadata: try candidate.object.metadata(), entry: try candidate.object.entry(),
            sha256: candidate.sha256)
    }

    /// The absolute path that a path means; links are still in it.
    private func resolve(_ path: String) throws(PlugboardError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else {
            throw PlugboardError(.loadingMissing, "A plugin's path is empty or holds NUL. Name its file.")
        }
        if path.hasPrefix("/") { return path }
        guard folders != nil || path.contains("/") else {
            throw PlugboardError(
                .loadingMissing,
                "There is no plugin '\(path)': a name alone is not searched for. Give an absolute path.")
        }
        let working = WorkingFolder.path
        let candidates = (folders ?? ["."]).map { $0.hasPrefix("/") ? "\($0)/\(path)" : "\(working)/\($0)/\(path)" }
        if let found = candidates.first(where: { access($0, F_OK) == 0 }) { return found }
        guard let first = candidates.first else {
            throw PlugboardError(
                .loadingMissing,
                "There is no plugin '\(path)': no folders of plugins are configured. Give an absolute path.")
        }
        guard candidates.count > 1 else { return first }
        throw PlugboardError(
            .loadingMissing,
            "There is no plugin '\(path)': none of \(candidates.joined(separator: ", ")) exists. Check the name and the "
                + "folders.")
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
            "\(what) lies outside the folders that plugins may be loaded from: \(folders.joined(separator: ", ")). "
                + "Install it in one of them, or add its folder to kernel.pluginFolders.")
    }

    private func checkRevision(_ metadata: PluginFile.Metadata?, _ path: String) throws(PlugboardError) {
        guard let metadata, metadata.revision != PLUG_ABI_REVISION else { return }
        throw PlugboardError(
            .abiMismatch,
            "The plugin \(metadata.id) at \(path) speaks revision \(metadata.revision) of the ABI, this kernel "
                + "revision \(PLUG_ABI_REVISION). Rebuild the plugin against this kernel's plugboard.h.")
    }

    private func compare(
        _ metadata: PluginFile.Metadata?, with descriptor: PluginDescriptor, _ path: String
    ) throws(PlugboardError) {
        guard let metadata, metadata.id != descriptor.id || metadata.version != descriptor.version else { return }
        throw PlugboardError(
            .loadingMetadata,
            "The plugin \(path) says two things of itself: '\(metadata.id) \(metadata.version)' in its section "
                + "'plugboard', '\(descriptor.id) \(descriptor.version)' in its descriptor. Its author should make them "
                + "the same.")
    }
}

extension Loader where Self == DynamicLoader {
    /// Plugins by absolute path, or relative to the working folder.
    public static var dynamic: DynamicLoader { DynamicLoader() }
}

/// What is open, by its path without links. One lock a process, for libltdl is not thread-safe.
private let resident = Mutex<[String: Resident]>([:])

private struct Resident {
    /// Nil if the file changed while it was opened.
    let sha256: String?
    /// Nil if it was refused after it was opened.
    var descriptor: PluginDescriptor?
    var identity: FileSnapshot.Identity?

    /// What was loaded, if the file is the very one that was looked at then, so that it need not be read again.
    func unchanged(at path: String, pin: String?) -> PluginDescriptor? {
        guard let identity, identity == FileSnapshot.Identity(path: path) else { return nil }
        return pin == nil || pin?.lowercased() == sha256 ? descriptor : nil
    }
}
