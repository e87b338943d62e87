import PlugboardDownloads
import PlugboardKit

/// One file of `plugboard download`: a URL of the command line, or a line of a list.
struct DownloadEntry {
    var url: String
    var mirrors: [String] = []
    /// The path of the file; nil for the path of the command line.
    var name: String?
    var digest: ExpectedDigest?
    /// Where it stands in a list, for errors; nil for a URL of the command line.
    var place: String?

    init(_ url: String) { self.url = url }

    /// The entries of a list, after aria2: a line has a URL, and further URLs of the same file after tabs. Lines that
    /// begin with a blank are about the URL before them: `out=NAME` and `checksum=sha-256=VALUE`. `#` begins a comment.
    static func all(inList file: String) throws(CommandFailure) -> [DownloadEntry] {
        let bytes =
            try file == "-" ? FileContents.ofStandardInput() : FileContents.bytes(of: file, for: "--input-file")
        var entries: [DownloadEntry] = []
        var number = 0
        for line in bytes.split(separator: 0x0A, omittingEmptySubsequences: false) {
            number += 1
            let place = "--input-file \(file), line \(number)"
            let text = String(decoding: line, as: UTF8.self)
            let words = text.split(whereSeparator: { $0 == "\t" || $0 == "\r" || $0 == "\r\n" }).map(String.init)
            guard let first = words.first?.drop(while: { $0 == " " }), !first.isEmpty, !first.hasPrefix("#") else {
                continue
            }
            let isOption = text.hasPrefix(" ") || text.hasPrefix("\t")
            if isOption, let last = entries.indices.last, let equals = first.firstIndex(of: "="),
                !first[..<equals].contains(where: { ":/".contains($0) })
            {
                let value = String(first[first.index(after: equals)...])
                try entries[last].set(String(first[..<equals]), value, place)
                continue
            }
            entries.append(DownloadEntry(String(first)))
            entries[entries.count - 1].mirrors = Array(words.dropFirst())
            entries[entries.count - 1].place = place
        }
        return entries
    }

    private mutating func set(_ option: String, _ value: String, _ place: String) throws(CommandFailure) {
        switch option {
        case "out": name = value
        case "checksum":
            guard let digest = ExpectedDigest(value) else {
                throw CommandFailure(.usage, "\(place): checksum must be sha-256=VALUE or sha-512=VALUE.")
            }
            self.digest = digest
        default:
            throw CommandFailure(
                .usage,
                "\(place): the option \(Printable.text(option)) is not known. Known are out and checksum; give others on "
                    + "the command line.")
        }
    }
}
