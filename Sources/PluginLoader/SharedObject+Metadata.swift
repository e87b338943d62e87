import CPlugboard
import PlugboardCore
import PlugboardKit

extension SharedObject {
    /// The contents of the section `plugboard`; nil if there is no such section. Throws `loading.metadata` if they are
    /// malformed.
    ///
    /// The section is the text `plugboard/REVISION ID VERSION` and a NUL. Other revisions may add words.
    func metadata() throws(PlugboardError) -> PluginFile.Metadata? {
        guard let section = metadataSections.first else { return nil }
        guard metadataSections.count == 1 else { throw malformed("there are \(metadataSections.count) of them") }
        let content = reader.bytes[section]
        guard content.count <= SharedObject.metadataLimit, content.last == 0 else {
            throw malformed("it does not end with NUL within \(SharedObject.metadataLimit) bytes")
        }
        let text = content.dropLast()
        guard text.allSatisfy({ (0x20...0x7e).contains($0) }) else {
            throw malformed("it holds more than one line of ASCII")
        }
        let words = String(decoding: text, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
        guard let revision = words.first.flatMap(revision(in:)) else {
            throw malformed("it does not begin with 'plugboard/' and a number")
        }
        guard words.count == 3 || (words.count > 3 && revision != PLUG_ABI_REVISION),
            words[1...].allSatisfy({ !$0.isEmpty })
        else { throw malformed("an id and a version must follow, each after one space") }
        return PluginFile.Metadata(revision: revision, id: String(words[1]), version: String(words[2]))
    }

    private static let metadataLimit = 1024

    private func revision(in word: Substring) -> UInt32? {
        let prefix = "plugboard/"
        guard word.hasPrefix(prefix) else { return nil }
        let digits = word.dropFirst(prefix.count)
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return UInt32(digits)
    }

    private func malformed(_ how: String) -> PlugboardError {
        PlugboardError(
            .loadingMetadata,
            "The section 'plugboard' of the plugin \(path) is malformed: \(how). Its author must write it with "
                + "PLUGBOARD_METADATA, once.")
    }
}
