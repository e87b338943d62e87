import PlugboardMessages

extension PlugboardError.Code {
    /// A received body cannot be written to its file.
    public static let downloadWrite: Self = "download.write"
}
