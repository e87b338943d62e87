import Foundation
import Plugboard
import Synchronization
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

    /// A server that sends the first responses up to their middle and then waits, and the gate that opens when it does.
    func holding(first count: Int = 1) throws -> (server: LoopbackServer, held: Gate) {
        let held = Gate()
        let requests = Mutex(0)
        let server = try LoopbackServer { [content] connection in
            let request = try connection.readRequest()
            let number = requests.withLock { number in
                number += 1
                return number
            }
            var reply = RangeServer.correct(request, content)
            if number <= count { reply.cut = reply.body.count / 2 }
            try RangeServer.send(reply, connection)
            guard number <= count else { return }
            if number == count { held.open() }
            try connection.waitForClose()
        }
        return (server, held)
    }

    /// What a download has left that was killed.
    func leave(
        _ bytes: [UInt8], length: Int, url: String, boot: String? = nil, synced: Int = 0
    ) throws {
        let own = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
        var journal = Journal(
            url: Request(.get, url).resourceKey, boot: boot ?? own.trimmingCharacters(in: .whitespacesAndNewlines),
            representation: .init(validator: .entityTag("\"a\""), length: length, coding: ""))
        journal.synced = ByteRanges(0..<synced)
        try folder.write("file.part", bytes)
        try folder.write("file.part.json", journal.text)
    }
}
