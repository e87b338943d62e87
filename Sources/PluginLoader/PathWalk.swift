import Glibc
import PlugboardKit

/// The way from the root to a file: every folder, symbolic link and file that decides which bytes a path names.
///
/// It is walked here rather than by `realpath`, which hides the links and the folders that hold them.
struct PathWalk {
    /// One entry on the way.
    struct Step: Equatable {
        enum Kind { case folder, file, link, other }

        var path: String
        var kind: Kind
        var ownership: Ownership
    }

    /// From the root down; links stand before what they lead to.
    private(set) var steps: [Step] = []
    /// The path without links, `.` and `..`.
    private(set) var end = ""

    /// Walks an absolute path to a regular file. Throws `loading.missing` if it does not lead there.
    init(to path: String) throws(PlugboardError) {
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
                throw PathWalk.missing(path, "its symbolic links lead in a circle at \(here)")
            }
            let target = try PathWalk.target(of: here, on: path)
            if target.hasPrefix("/") { end = "" }
            ahead += PathWalk.names(in: target)
        }
        guard steps.last(where: { $0.kind != .link })?.kind == .file, !end.isEmpty else {
            throw PathWalk.missing(path, "it is not a regular file")
        }
    }

    /// As many as Linux follows.
    private static let linkLimit = 40

    /// What a path goes through, the last first.
    private static func names(in path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }.reversed()
    }

    /// - Parameter isEnd: Nothing of the path is left, so that it is `here` under another spelling.
    private static func look(at here: String, on path: String, isEnd: Bool = false) throws(PlugboardError) -> Step {
        var status = stat()
        guard lstat(here, &status) == 0 else {
            let cause = errno
            guard cause == ENOENT else { throw missing(path, "\(here) cannot be looked at", cause) }
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
            underlying: cause.map { String(cString: strerror($0)) })
    }
}
