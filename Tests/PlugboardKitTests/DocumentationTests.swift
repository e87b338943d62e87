import Foundation
import Testing

/// The comments of PlugboardKit's sources.
struct DocumentationTests {
    private struct Line {
        let file: String
        let number: Int
        let text: String
    }

    private static let folder = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../Sources/PlugboardKit").standardizedFileURL.path

    private let files: [[Line]]

    init() throws {
        let names = FileManager.default.enumerator(atPath: Self.folder)?.compactMap { $0 as? String } ?? []
        files = try names.filter { $0.hasSuffix(".swift") }.sorted().map { name in
            let text = try String(contentsOfFile: "\(Self.folder)/\(name)", encoding: .utf8)
            return text.split(separator: "\n", omittingEmptySubsequences: false).enumerated().map {
                Line(file: name, number: $0.offset + 1, text: String($0.element))
            }
        }
    }

    @Test func `every public declaration has a docstring, but for members that inherit one`() {
        var missing: [String] = []
        var count = 0
        for lines in files {
            // Members of a protocol's own extension, and of a conformance to it, have the docstrings of the protocol.
            var inherits = false
            var isProtocol = false
            for (index, line) in lines.enumerated() {
                if !line.text.hasPrefix(" ") && !line.text.isEmpty {
                    isProtocol = line.text.hasPrefix("public protocol ")
                    inherits = line.text.contains(#/^extension (PluginInstance|BodyTransformer) /#)
                }
                let isPublic = line.text.contains(#/^\s*(@\w+(\(.*\))? )*public (?!extension)/#)
                let isRequirement = line.text.contains(#/^    (associatedtype|static|var|func|mutating|init)\b/#)
                guard (isPublic && !inherits) || (isProtocol && isRequirement) else { continue }
                count += 1
                let above = lines[..<index].last { !$0.text.contains(#/^\s*@\w+(\(.*\))?$/#) }
                if above?.text.contains(#/^\s*///( |$)/#) == true { continue }
                missing.append("\(line.file):\(line.number) \(line.text)")
            }
        }

        #expect(missing == [])
        #expect(count > 150)
    }

    @Test func `comments have at most 120 columns`() {
        let wide = files.joined().filter { $0.text.contains(#/^\s*///#) && $0.text.count > 120 }

        #expect(wide.map { "\($0.file):\($0.number)" } == [])
    }
}
