import PlugboardKit

extension PlugboardError.Code {
    /// No temporary folder can be made for a test.
    public static let testingFolder: Self = "testing.folder"
}
