import Foundation

/// Finds the products of the build: executables, and plugins as shared objects.
package enum Products {
    /// The folder of the image that contains this code: the test bundle's or the executable's.
    package static let folder: String = {
        let maps = (try? String(contentsOfFile: "/proc/self/maps", encoding: .utf8)) ?? ""
        let marker: @convention(c) () -> Void = {}
        let address = UInt(bitPattern: unsafeBitCast(marker, to: Int.self))
        for line in maps.split(separator: "\n") {
            let parts = line.split(separator: " ", maxSplits: 5, omittingEmptySubsequences: true)
            let range = parts[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
            guard parts.count == 6, range.count == 2, range[0] <= address, address < range[1] else { continue }
            let path = parts[5].trimmingCharacters(in: .whitespaces)
            return URL(fileURLWithPath: path).deletingLastPathComponent().path
        }
        return URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
    }()

    /// The path of `libNAME.so`. Throws if it has not been built.
    package static func library(_ name: String) throws -> String { try existing("lib\(name).so") }

    /// The path of an executable. Throws if it has not been built.
    package static func executable(_ name: String) throws -> String { try existing(name) }

    private static func existing(_ name: String) throws -> String {
        let path = "\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: path) else { throw ProductError.missing(path) }
        return path
    }
}

/// The reason why a product cannot be used.
package enum ProductError: Error, CustomStringConvertible {
    case missing(String)

    package var description: String {
        switch self {
        case .missing(let path): "\(path) has not been built: run `swift build` first"
        }
    }
}
