import Foundation
import Plugboard
import PlugboardKit
import PlugboardSystem
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

/// The file that a crash leaves behind.
struct CrashNoteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("notes") }

    private func note(_ names: [String], of program: String = "mine") throws -> CrashNote {
        try #require(CrashNote(names, in: folder.path, program: program))
    }

    private func take(for program: String = "mine") -> [String] { CrashNote.take(from: folder.path, program: program) }

    /// Copies the notes to files that are not locked, as a process that died would leave them.
    private func die() throws {
        for name in try folder.entries() where !name.contains(":1:") {
            let copy = name.replacing(":\(getpid()):", with: ":1:")
            try FileManager.default.copyItem(atPath: folder.file(name), toPath: folder.file(copy))
        }
    }

    @Test func `calls of each loop are reported, then those of other threads, while they last`() throws {
        let note = try note(["a", "b"])
        let marks = (0..<64).map { CallMark(in: note, loop: $0) }

        note.calling(0, .create) {}
        _ = marks[63].enter(1, .onRequest)
        _ = marks[0].enter(0, .onClose)
        marks[1].enter(0, .pull).end()
        try note.calling(1, .stop) { try note.calling(0, .load) { try die() } }
        let report = take().joined()

        #expect(
            report.contains(
                "while the plugin a was in onClose and the plugin b was in onRequest and the plugin b was in stop and it "
                    + "loaded the plugin a. If that happens again, switch one of them off"))
    }

    @Test func `a note of 64 plugins with long ids names the last one`() throws {
        let ids = (0..<64).map { "com.example.\(String(repeating: "long", count: 50)).\($0)" }
        let note = try note(ids)

        _ = CallMark(in: note).enter(63, .fired)
        try die()

        #expect(take().joined().contains("while the plugin \(ids[63]) was in fired."))
    }

    @Test func `more calls than there are words go on unmarked`() throws {
        let note = try note(["a"])
        var deepest = 0

        func nest(_ depth: Int) {
            deepest = depth
            if depth < 2 * CrashNote.sideCount { note.calling(0, .command) { nest(depth + 1) } }
        }
        nest(0)
        try die()

        #expect(deepest == 2 * CrashNote.sideCount)
        #expect(take().isEmpty)
    }

    @Test func `the note of a live process is left alone, and removed at its end`() throws {
        var first: CrashNote? = try note(["a"])
        let second = try note(["a"])
        _ = first.map { CallMark(in: $0).enter(0, .onRequest) }

        let found = take()
        let kept = try folder.entries().count
        first = nil
        let left = try folder.entries().count
        second.remove()

        #expect(found.isEmpty && kept == 2 && left == 1)
        #expect(try folder.entries().isEmpty)
    }

    @Test(arguments: ["plugnot4", "\u{1}\u{1}", String(repeating: "\u{1}", count: 10_000)])
    func `a file that is not a note reports nothing, and is removed`(content: String) throws {
        _ = try folder.write("mine:1:1", content)

        #expect(take().isEmpty)
        #expect(try folder.entries().isEmpty)
    }

    @Test func `each program gets its own notes, with its name and its start; notes of other programs stay`() throws {
        let programs = ["plug\u{7}board", "plug"]
        let notes = try programs.map { try note(["of \($0)"], of: $0) }
        for note in notes { _ = CallMark(in: note).enter(0, .onRequest) }
        try die()
        let day = Date.now.formatted(.iso8601.year().month().day())

        let stranger = take(for: "board")
        let own = take(for: programs[0])

        #expect(stranger.isEmpty && own.count == 1 && take(for: programs[0]).isEmpty)
        #expect(own.joined().hasPrefix("An earlier run of \(Printable.text(programs[0])) (begun \(day)"))
        #expect(take(for: "plug").joined().contains("was killed – while the plugin of plug was in onRequest."))
    }

    @Test func `where there can be no file there is no note`() {
        #expect(CrashNote(["a"], in: folder.file("nowhere")) == nil)
    }

    @Test func `starts at the same time take no note from one another`() async throws {
        let path = folder.path
        let isDone = Atomic(false)
        let gate = Gate()
        Thread.detachNewThread {
            while !isDone.load(ordering: .relaxed) { _ = CrashNote.take(from: path) }
            gate.open()
        }

        let notes = (0..<200).compactMap { CrashNote(["plugin \($0)"], in: path) }
        isDone.store(true, ordering: .relaxed)
        try await gate.opened()

        // There is none where the other start looked before it was locked, and never half a one.
        #expect(!notes.isEmpty)
        #expect(try folder.entries().count == notes.count)
    }
}
