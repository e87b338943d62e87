/// A file that is to be written: where, and what it holds.
struct NewFile: Equatable {
    /// From the project's or the installation's folder.
    let path: String
    let bytes: [UInt8]

    /// A file that is copied as it is.
    init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    /// A template: each `@word@` is replaced by what `words` has for it.
    init(_ path: String, template: [UInt8], _ words: [String: String]) {
        var text = String(decoding: template, as: UTF8.self)
        for (word, value) in words { text = text.replacing("@\(word)@", with: value) }
        self.init(path, Array(text.utf8))
    }
}
