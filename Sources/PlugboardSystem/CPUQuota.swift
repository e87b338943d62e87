/// How much processor time the control groups of the process allow (cgroup v2, Linux's admin-guide/cgroup-v2, cpu.max).
package enum CPUQuota {
    /// Processor cores, rounded up; nil without a quota.
    package static let current = read(groups: "/proc/self/cgroup", below: "/sys/fs/cgroup")

    /// The smallest quota of the process's group and of the groups around it.
    ///
    /// - Parameters:
    ///   - groups: A file such as /proc/self/cgroup.
    ///   - root: The folder at which the hierarchy is mounted.
    package static func read(groups: String, below root: String) -> Int? {
        guard let text = SmallFile.text(of: groups), var path = group(text) else { return nil }
        var least: Int?
        while true {
            if let cores = SmallFile.text(of: "\(root)\(path)/cpu.max").flatMap({ cores($0) }) {
                least = min(cores, least ?? cores)
            }
            guard let slash = path.lastIndex(of: "/") else { return least }
            path = String(path[..<slash])
        }
    }

    /// The group of version 2, whose line begins with `0::`; without a slash at its end.
    package static func group(_ text: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("0::/") {
            let path = line.dropFirst(3)
            return String(path.hasSuffix("/") ? path.dropLast() : path)
        }
        return nil
    }

    /// The cores of `cpu.max`: microseconds of processor time, or `max`, and the period that they are for.
    package static func cores(_ text: String) -> Int? {
        let words = text.split { $0 == " " || $0 == "\n" }
        guard words.count == 2, let time = Int(words[0]), let period = Int(words[1]), time > 0, period > 0 else {
            return nil
        }
        return (time - 1) / period + 1
    }
}
