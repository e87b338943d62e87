import ScaffoldTemplates

/// A file that is to be written: its path and its contents.
struct NewFile: Equatable {
    /// Relative to the project's or the installation's folder.
    let path: String
    private(set) var bytes: [UInt8]

    /// A file that is copied as it is.
    init(_ path: String, _ text: scaffold_template) {
        self.path = path
        bytes = Array(UnsafeBufferPointer(start: text.bytes, count: text.count))
    }

    /// A template: each `@word@` is replaced by its value in `words`.
    init(_ path: String, template: scaffold_template, _ words: [String: String]) {
        self.init(path, template)
        var text = String(decoding: bytes, as: UTF8.self)
        for (word, value) in words { text = text.replacing("@\(word)@", with: value) }
        bytes = Array(text.utf8)
    }
}
