import Foundation

/// A code of `PlugboardError` as the sources declare it: `/// MEANING` and `static let NAME: Self = "CODE"`.
package struct DeclaredCode: Hashable {
    /// The code, such as `timeout.idle`.
    package let code: String
    /// The name of the constant, such as `timeoutIdle`.
    package let constant: String
    /// The first sentence of its documentation comment, with the full stop; empty if there is none.
    package let meaning: String
    /// The path relative to the repository, such as `Sources/PlugboardMessages/PlugboardError+Codes.swift`.
    package let file: String

    /// All codes that the sources and the bundled plugins declare, in the order of files and lines.
    package static func all() throws -> [DeclaredCode] {
        try sources().flatMap { try declared(in: $0) }
    }

    /// The Swift files of sources and bundled plugins, relative to the repository.
    package static func sources() throws -> [String] {
        try ["Sources", "Plugins"].flatMap { folder in
            try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
                .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
        }
    }

    /// The text of a file of the repository.
    package static func text(of file: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
    }

    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../..").standardizedFileURL

    private static func declared(in file: String) throws -> [DeclaredCode] {
        let text = try text(of: file)
        guard text.contains("extension PlugboardError.Code {") else { return [] }
        var (codes, comment, isInside) = ([DeclaredCode](), [Substring](), false)
        for line in text.split(separator: "\n") {
            if line.first != " " { isInside = line == "extension PlugboardError.Code {" }
            let words = line.drop { $0 == " " }
            if words.hasPrefix("/// ") {
                comment.append(words.dropFirst(4))
            } else {
                let halves = words.components(separatedBy: #": Self = ""#)
                if isInside, words.contains("static let "), halves.count == 2 {
                    let code = String(halves[1].dropLast())
                    let constant = halves[0].components(separatedBy: " ").last ?? ""
                    codes.append(
                        DeclaredCode(
                            code: code, constant: constant, meaning: firstSentence(of: comment), file: file))
                }
                comment = []
            }
        }
        return codes
    }

    private static func firstSentence(of comment: [Substring]) -> String {
        let text = comment.joined(separator: " ")
        return text.range(of: ". ").map { String(text[..<$0.lowerBound]) + "." } ?? text
    }
}
