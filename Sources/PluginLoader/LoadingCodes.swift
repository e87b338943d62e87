import PlugboardKit

/// Why the file of a plugin was refused: one code for each reason. Two more apply to linked plugins too and are
/// declared in PlugboardKit: `loading.revision` and `loading.descriptor`.
extension PlugboardError.Code {
    /// The path names no regular file that can be read.
    public static let loadingMissing: Self = "loading.missing"
    /// Other users may write to the file, or to a folder on its path.
    public static let loadingWritable: Self = "loading.writable"
    /// The file, or a folder or link on its path, belongs neither to root nor to the current user.
    public static let loadingOwner: Self = "loading.owner"
    /// The file is outside the folders that plugins may be loaded from.
    public static let loadingFolder: Self = "loading.folder"
    /// The file is a libtool archive, by its name (`.la`).
    public static let loadingArchive: Self = "loading.archive"
    /// The file is larger than `FileSnapshot.limit`.
    public static let loadingSize: Self = "loading.size"
    /// The file changed while it was read or opened, or after it was first loaded.
    public static let loadingChanged: Self = "loading.changed"
    /// The file does not begin with the bytes of ELF.
    public static let loadingNotELF: Self = "loading.notELF"
    /// The file is an object file, a program or a core dump, and not a shared object.
    public static let loadingNotShared: Self = "loading.notShared"
    /// The file was built for another kind of processor.
    public static let loadingArchitecture: Self = "loading.architecture"
    /// A part of the file reaches beyond its end.
    public static let loadingTruncated: Self = "loading.truncated"
    /// The tables of the file contradict each other.
    public static let loadingDamaged: Self = "loading.damaged"
    /// The section `plugboard` is malformed, or differs from the descriptor.
    public static let loadingMetadata: Self = "loading.metadata"
    /// The file exports no function `…_LTX_plugboard_plugin`.
    public static let loadingNoEntry: Self = "loading.noEntry"
    /// The file exports several functions `…_LTX_plugboard_plugin`.
    public static let loadingEntries: Self = "loading.entries"
    /// The SHA-256 of the file differs from the configured one.
    public static let loadingHash: Self = "loading.hash"
    /// The file needs a function or variable that no library provides.
    public static let loadingSymbols: Self = "loading.symbols"
    /// The system's loader refused the file.
    public static let loadingOpen: Self = "loading.open"
}
