import Foundation
import Plugboard
import TestSupport

@testable import PlugboardDownloads

/// A file of 100,000 bytes, servers that have it, and a folder for it.
struct DownloadScene {
    let content = RangeServer.content(100_000)
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("file")
    }

    func serving(cuts: [Int] = [], tag: String = "\"a\"") throws -> RangeServer {
        try RangeServer { [content] number, request in
            RangeServer.correct(request, content, tag: tag, cut: number <= cuts.count ? cuts[number - 1] : nil)
        }
    }

    /// What a download has left that was killed.
    func leave(
        _ bytes: [UInt8], length: Int, url: String, boot: String? = nil, synced: Int = 0
    ) throws {
        let own = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        var journal = Journal(
            url: Journal.key(of: url), boot: boot ?? own.trimmingCharacters(in: .whitespacesAndNewlines),
            representation: .init(validator: .entityTag("\"a\""), length: length, coding: ""))
        journal.synced = ByteRanges(0..<synced)
        try folder.write("file.part", bytes)
        try folder.write("file.part.json", journal.text)
    }
}
