import PlugboardKit

/// The name of a new plugin, and the names that are made of it in each language.
struct PluginName: Equatable {
    /// Letters, digits and `-`, as in `sign-requests`.
    let text: String

    private static let limit = 64

    /// The error says what a name must be. `taken` are ids of bundled plugins.
    init(_ text: String, taken: [String] = []) throws(CommandFailure) {
        guard let first = text.utf8.first, PluginName.isLetter(first),
            text.utf8.allSatisfy({ PluginName.isLetter($0) || PluginName.isDigit($0) || $0 == UInt8(ascii: "-") }),
            text.utf8.last != UInt8(ascii: "-"), !text.contains("--"), text.utf8.count <= PluginName.limit
        else {
            let near = PluginName.near(text).map { " Such as \($0)." } ?? ""
            throw CommandFailure(
                .usage,
                "A plugin's name is made of letters, digits and single '-' between them, begins with a letter, and has "
                    + "at most \(PluginName.limit) characters.\(near)")
        }
        guard !taken.contains(text.lowercased()), !text.lowercased().hasPrefix("plugboard") else {
            throw CommandFailure(
                .usage, "\(text) is the name of a bundled plugin or of a product of Plugboard. Choose another.")
        }
        self.text = text
    }

    /// `sign_requests`: for modules and files in C, C++ and Rust, and for `…_LTX_plugboard_plugin`.
    var module: String { text.lowercased().replacing("-", with: "_") }

    /// `SignRequestsPlugin`: for types and targets in Swift. The ending avoids names such as `Plugin` and `Swift`.
    var type: String {
        var words = text.split(separator: "-").map { $0.prefix(1).uppercased() + $0.dropFirst() }
        if words.count > 1, words.last == "Plugin" { words.removeLast() }
        return words.joined() + "Plugin"
    }

    /// The id without `--id`.
    var exampleID: String { "com.example.\(text)" }

    /// A valid name that is near to this one; nil if there is none.
    private static func near(_ text: String) -> String? {
        let words = text.utf8.split { !isLetter($0) && !isDigit($0) }.map { String(decoding: $0, as: UTF8.self) }
        let name = String(words.joined(separator: "-").drop { !$0.isLetter }.prefix(limit))
        return name.isEmpty || name == text || name.last == "-" ? nil : name
    }

    fileprivate static func isLetter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: false
        }
    }

    fileprivate static func isDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: false
        }
    }
}

/// The id of a new plugin.
enum PluginID {
    /// The error says what an id must be: the kernel refuses any other.
    ///
    /// - Parameter taken: Ids of bundled plugins, which the plugin could not run beside.
    static func checked(_ text: String, taken: [String]) throws(CommandFailure) -> String {
        guard text.utf8.count <= 128, PluginDescriptor.isWellFormed(id: text) else {
            throw CommandFailure(
                .usage,
                "--id must be made of words of letters, digits, '-' and '_', joined by single dots, in reverse domain "
                    + "order, such as com.example.sign, and have at most 128 characters.")
        }
        guard !PluginDescriptor.isReserved(id: text) else {
            throw CommandFailure(
                .usage,
                "--id \(text) is the kernel's own, as are all ids that begin with kernel. Choose another, "
                    + "in reverse domain order, such as com.example.sign.")
        }
        guard !taken.contains(text.lowercased()) else {
            throw CommandFailure(
                .usage,
                "--id \(text) is the id of a bundled plugin, and one configuration cannot run both. Choose another, "
                    + "in reverse domain order, such as com.example.\(text).")
        }
        return text
    }
}
