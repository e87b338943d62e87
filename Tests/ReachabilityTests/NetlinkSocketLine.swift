import Foundation

/// A netlink socket of a program for the routing table, as /proc lists it.
struct NetlinkSocketLine: Sendable {
    /// How many notifications were lost because its buffer was full.
    let lost: Int

    /// All in the network namespace of the calling thread.
    static func all() throws -> [NetlinkSocketLine] {
        let text = try String(contentsOfFile: "/proc/thread-self/net/netlink", encoding: .utf8)
        return text.split(separator: "\n").dropFirst().compactMap { line in
            // sk, Eth (the protocol), Pid, Groups, Rmem, Wmem, Dump, Locks, Drops, Inode
            let words = line.split(separator: " ")
            guard words.count > 8, words[1] == "0", words[2] != "0" else { return nil }
            return NetlinkSocketLine(lost: Int(words[8]) ?? 0)
        }
    }
}
