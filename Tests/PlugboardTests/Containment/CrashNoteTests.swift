import Foundation
import Synchronization
import TestSupport
import Testing

@testable import Plugboard

/// The file that a crash leaves behind.
struct CrashNoteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("notes") }

    private func finding(_ plugin: String, _ hook: CalledHook) -> CrashNote.Finding {
        CrashNote.Finding(plugin: plugin, hook: hook)
    }

    /// Makes it look as if the process had died: a copy that nobody locks.
    private func die() throws {
        for name in try folder.entries() where name.hasPrefix("running-") {
            let path = folder.file(name)
            try FileManager.default.copyItem(atPath: path, toPath: "\(path)-copy")
        }
    }

    @Test func `a note of 64 plugins with long ids names the last one`() throws {
        let ids = (0..<64).map { "com.example.\(String(repeating: "long", count: 50)).\($0)" }
        let note = try #require(CrashNote(folder: folder.path, names: ids))
        let mark = CallMark(in: note)

        _ = mark.enter(63, .fired)
        try die()

        #expect(CrashNote.collect(folder: folder.path) == [[finding(ids[63], .fired)]])
    }

    @Test func `calls beside the loop are told after the loop's, while they last`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["a", "b"]))
        let (mark, side) = (CallMark(in: note), SideMarks(in: note))

        side.calling(0, .create) {}
        _ = mark.enter(0, .onClose)
        try side.calling(1, .stop) { try side.calling(1, .release) { try die() } }

        #expect(
            CrashNote.collect(folder: folder.path) == [
                [finding("a", .onClose), finding("b", .stop), finding("b", .release)]
            ])
    }

    @Test func `more calls than there are words go on unmarked`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["a"]))
        let side = SideMarks(in: note)
        let deepest = Mutex(0)

        func nest(_ depth: Int) {
            side.calling(0, .command) {
                if depth < 2 * CrashNote.wordCount { nest(depth + 1) } else { deepest.withLock { $0 = depth } }
            }
        }
        nest(0)
        try die()

        #expect(deepest.withLock { $0 } == 2 * CrashNote.wordCount)
        #expect(CrashNote.collect(folder: folder.path).isEmpty)
    }

    @Test func `a live process's note is left alone, and goes with it`() throws {
        var note = CrashNote(folder: folder.path, names: ["a"])
        _ = note.map { CallMark(in: $0).enter(0, .onRequest) }

        let findings = CrashNote.collect(folder: folder.path)
        let kept = try folder.entries().count
        note = nil

        #expect(findings.isEmpty && kept == 1)
        #expect(try folder.entries().isEmpty)
    }

    @Test func `what a start left half made is swept away, what another makes just now is not`() throws {
        _ = try folder.write("new-1-1", "")
        let path = try folder.write("new-1-2", "")
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)

        let findings = CrashNote.collect(folder: folder.path)

        #expect(findings.isEmpty)
        #expect(try folder.entries() == ["new-1-2"])
    }

    @Test(arguments: ["", "plugnot1", "plugnot0" + String(repeating: "\u{1}", count: 400), "\u{1}\u{1}"])
    func `what is no note says nothing, and goes`(content: String) throws {
        _ = try folder.write("running-1-1", content)

        #expect(CrashNote.collect(folder: folder.path).isEmpty)
        #expect(try folder.entries().isEmpty)
    }

    @Test func `where there can be no file there is no note`() {
        #expect(CrashNote(folder: folder.file("nowhere"), names: ["a"]) == nil)
    }

    @Test func `starts at the same time take no note from one another`() async throws {
        let path = folder.path
        let isDone = Atomic(false)
        let sweeper = Thread.running {
            while !isDone.load(ordering: .relaxed) { _ = CrashNote.collect(folder: path) }
        }

        let notes = (0..<200).compactMap { CrashNote(folder: path, names: ["plugin \($0)"]) }
        isDone.store(true, ordering: .relaxed)
        try await sweeper.opened()

        // One may have been swept away while it was new, three times in a row: then there is none, and never half a one.
        #expect(!notes.isEmpty)
        #expect(try folder.entries().filter { $0.hasPrefix("running-") }.count == notes.count)
    }
}

extension Thread {
    /// Runs a closure on a thread of its own; the gate opens when it is done.
    fileprivate static func running(_ body: @escaping @Sendable () -> Void) -> Gate {
        let done = Gate()
        Thread.detachNewThread {
            body()
            done.open()
        }
        return done
    }
}
