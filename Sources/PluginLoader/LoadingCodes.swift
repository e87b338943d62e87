import PlugboardKit

/// Why a plugin's file was refused: one code a reason. Two more belong to every plugin, loaded or not:
/// `loading.revision` (`abiMismatch`) and `loading.descriptor` (`malformedDescriptor`).
extension PlugboardError.Code {
    /// There is no regular file that can be read at the path.
    public static let loadingMissing: Self = "loading.missing"
    /// Others may write the file, or a folder on the way to it.
    public static let loadingWritable: Self = "loading.writable"
    /// The file, or a folder or link on the way to it, is neither root's nor the current user's.
    public static let loadingOwner: Self = "loading.owner"
    /// The file lies outside the folders that plugins may be loaded from.
    public static let loadingFolder: Self = "loading.folder"
    /// The file is a libtool archive (`.la`) by its name.
    public static let loadingArchive: Self = "loading.archive"
    /// The file is larger than `FileSnapshot.limit`.
    public static let loadingSize: Self = "loading.size"
    /// The file changed while it was read or opened, or since it was loaded first.
    public static let loadingChanged: Self = "loading.changed"
    /// The file does not begin as ELF does.
    public static let loadingNotELF: Self = "loading.notELF"
    /// The file is an object, a program or a core, not a shared object.
    public static let loadingNotShared: Self = "loading.notShared"
    /// The file is for another kind of machine.
    public static let loadingArchitecture: Self = "loading.architecture"
    /// Something in the file reaches beyond its end.
    public static let loadingTruncated: Self = "loading.truncated"
    /// The file contradicts itself.
    public static let loadingDamaged: Self = "loading.damaged"
    /// The section `plugboard` is not in its form, or says something else than the descriptor.
    public static let loadingMetadata: Self = "loading.metadata"
    /// No function `…_LTX_plugboard_plugin` is exported.
    public static let loadingNoEntry: Self = "loading.noEntry"
    /// Several functions `…_LTX_plugboard_plugin` are exported.
    public static let loadingEntries: Self = "loading.entries"
    /// The bytes are not those that the pin names.
    public static let loadingHash: Self = "loading.hash"
    /// The file needs a function or variable that nothing provides.
    public static let loadingSymbols: Self = "loading.symbols"
    /// The system's loader refused the file.
    public static let loadingOpen: Self = "loading.open"
}
