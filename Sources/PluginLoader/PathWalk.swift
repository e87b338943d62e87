import PlugboardKit
import PlugboardSystem

/// All folders, symbolic links and files that determine which file a path names.
///
/// `realpath` cannot be used for this, because it hides the links and the folders that contain them.
package struct PathWalk {
    /// A folder, a link or the file.
    package struct Step: Equatable {
        enum Kind { case folder, file, link, other }

        package var path: String
        var kind: Kind
        package var ownership: Ownership
    }

    /// The steps from the root on; a link precedes its target.
    package private(set) var steps: [Step] = []
    /// The path without links, `.` and `..`.
    private(set) var end = ""

    /// Follows an absolute path to a regular file. Throws `loading.missing` if there is none.
    package init(to path: String) throws(PlugboardError) {
        steps.append(try PathWalk.look(at: "/", on: path))
        var ahead = PathWalk.names(in: path)
        var followed = 0
        while let name = ahead.popLast() {
            if name == ".." {
                end = end.lastIndex(of: "/").map { String(end[..<$0]) } ?? ""
                continue
            }
            let here = "\(end)/\(name)"
            let step = try PathWalk.look(at: here, on: path, isEnd: ahead.isEmpty && followed == 0)
            steps.append(step)
            guard step.kind == .link else {
                end = here
                continue
            }
            followed += 1
            guard followed <= PathWalk.linkLimit else {
                throw PathWalk.missing(path, "its symbolic links form a loop at \(here)")
            }
            let target = try PathWalk.target(of: here, on: path)
            if target.hasPrefix("/") { end = "" }
            ahead += PathWalk.names(in: target)
        }
        guard steps.last(where: { $0.kind != .link })?.kind == .file, !end.isEmpty else {
            throw PathWalk.missing(path, "it is not a regular file")
        }
    }

    /// The number of links that Linux follows.
    private static let linkLimit = 40

    /// The components of a path, the last one first.
    private static func names(in path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }.reversed()
    }

    /// - Parameter isEnd: Whether `here` is the end of the path.
    private static func look(at here: String, on path: String, isEnd: Bool = false) throws(PlugboardError) -> Step {
        var status = stat()
        guard lstat(here, &status) == 0 else {
            let cause = errno
            guard cause == ENOENT else { throw missing(path, "\(here) cannot be examined", cause) }
            throw PlugboardError(
                .loadingMissing,
                isEnd ? "\(path) does not exist." : "\(path) does not exist, because \(here) does not exist.")
        }
        let kind: Step.Kind =
            switch status.st_mode & S_IFMT {
            case S_IFDIR: .folder
            case S_IFREG: .file
            case S_IFLNK: .link
            default: .other
            }
        return Step(path: here, kind: kind, ownership: Ownership(status))
    }

    private static func target(of link: String, on path: String) throws(PlugboardError) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let count = readlink(link, &bytes, bytes.count)
        guard count > 0, let target = String(validating: bytes[..<count], as: UTF8.self) else {
            throw missing(path, "the symbolic link \(link) cannot be read")
        }
        return target
    }

    private static func missing(_ path: String, _ why: String, _ cause: Int32? = nil) -> PlugboardError {
        PlugboardError(
            .loadingMissing,
            "\(path) cannot be loaded: \(why). Check the path, and that this user may read its folders.",
            underlying: cause.map { systemText($0) })
    }
}
