import Foundation
import Plugboard
import PlugboardKit
import Synchronization
import TestSupport
import Testing

@testable import PlugboardCore

/// The file that a crash leaves behind.
struct CrashNoteTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("notes") }

    private func call(_ plugin: String, _ hook: CalledHook) -> CrashReport.Call {
        CrashReport.Call(plugin: plugin, hook: hook)
    }

    /// What the dead have left for this program.
    private func calls() -> [[CrashReport.Call]] { CrashReport.take(from: folder.path).map(\.calls) }

    /// Makes a copy that is not locked, as a process that died would leave it.
    private func die() throws {
        for name in try folder.entries() where name.hasPrefix("running-") && !name.hasSuffix("-copy") {
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

        #expect(calls() == [[call(ids[63], .fired)]])
    }

    @Test func `calls on other threads are reported after the loop's, while they last`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["a", "b"]))
        let (mark, side) = (CallMark(in: note), SideMarks(in: note))

        side.calling(0, .create) {}
        _ = mark.enter(0, .onClose)
        try side.calling(1, .stop) { try side.calling(1, .release) { try die() } }

        #expect(
            calls() == [
                [call("a", .onClose), call("b", .stop), call("b", .release)]
            ])
    }

    @Test func `each loop has a word of its own, before those of other threads`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["a", "b"], loops: 3))
        let (marks, side) = ((0..<3).map { CallMark(in: note, loop: $0) }, SideMarks(in: note))

        _ = marks[2].enter(1, .onRequest)
        _ = marks[0].enter(0, .onClose)
        marks[1].enter(0, .pull).end()
        try side.calling(1, .stop) { try die() }

        #expect(calls() == [[call("a", .onClose), call("b", .onRequest), call("b", .stop)]])
    }

    @Test func `more calls than there are words go on unmarked`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["a"]))
        let side = SideMarks(in: note)
        let deepest = Mutex(0)

        func nest(_ depth: Int) {
            side.calling(0, .command) {
                if depth < 2 * CrashNote.sideCount { nest(depth + 1) } else { deepest.withLock { $0 = depth } }
            }
        }
        nest(0)
        try die()

        #expect(deepest.withLock { $0 } == 2 * CrashNote.sideCount)
        #expect(calls().isEmpty)
    }

    @Test func `the note of a live process is left alone, and removed at its end`() throws {
        var note = CrashNote(folder: folder.path, names: ["a"])
        _ = note.map { CallMark(in: $0).enter(0, .onRequest) }

        let found = calls()
        let kept = try folder.entries().count
        note = nil

        #expect(found.isEmpty && kept == 1)
        #expect(try folder.entries().isEmpty)
    }

    @Test func `a note that a start has left half made is removed, one that another start makes now is not`() throws {
        _ = try folder.write("new-1-1", "")
        let path = try folder.write("new-1-2", "")
        let descriptor = open(path, O_RDWR)
        defer { close(descriptor) }
        #expect(flock(descriptor, LOCK_EX) == 0)

        let found = calls()

        #expect(found.isEmpty)
        #expect(try folder.entries() == ["new-1-2"])
    }

    @Test(arguments: ["", "plugnot2", "plugnot1" + String(repeating: "\u{1}", count: 400), "\u{1}\u{1}"])
    func `a file that is not a note reports nothing, and is removed`(content: String) throws {
        _ = try folder.write("running-1-1", content)

        #expect(calls().isEmpty)
        #expect(try folder.entries().isEmpty)
    }

    @Test func `each program gets its own notes, with its name and its start; notes of other programs stay`() throws {
        let before = clockTime(CLOCK_REALTIME) / 1_000_000_000
        for program in ["a", "b"] {
            let note = try #require(CrashNote(folder: folder.path, names: ["of \(program)"], program: program))
            _ = CallMark(in: note).enter(0, .onRequest)
            try die()
        }

        let stranger = CrashReport.take(from: folder.path, for: "c")
        let own = CrashReport.take(from: folder.path, for: "b")
        let again = CrashReport.take(from: folder.path, for: "b")
        let other = CrashReport.take(from: folder.path, for: "a")

        #expect(stranger.isEmpty && again.isEmpty)
        #expect(own.map(\.calls) == [[call("of b", .onRequest)]] && other.map(\.program) == ["a"])
        #expect(own.allSatisfy { before <= $0.began.seconds && $0.began.seconds <= before + 60 })
        #expect(try folder.entries().isEmpty)
    }

    @Test func `another program's note is removed a month after it was found`() throws {
        let note = try #require(CrashNote(folder: folder.path, names: ["plugin"], program: "other"))
        _ = CallMark(in: note).enter(0, .onRequest)
        try die()
        let found: Int64 = 2_000_000_000
        let days = { (count: Int64) in found + count * 86_400 }

        let counts = try [found, days(30), days(30) + 1].map { now in
            _ = CrashReport.take(from: folder.path, for: "mine", now: now)
            return try folder.entries().filter { $0.hasPrefix("ended-") }.count
        }

        #expect(counts == [1, 1, 0])
    }

    @Test func `of others' the last 32 stay`() {
        let others = (0..<40).map { CrashReport.OtherProgram(path: "\($0)", age: Int64($0)) }

        let gone = CrashReport.tooMany(others.shuffled())

        #expect(Set(gone.map(\.path)) == Set((32..<40).map { "\($0)" }))
    }

    @Test func `a report says no more than is known`() {
        let report = CrashReport(
            program: "plug\u{7}board", began: HTTPDate(seconds: 784_111_777), calls: [call("acme", .onRequest)])

        #expect(
            report.sentence.hasPrefix(
                "An earlier run of \(Printable.text("plug\u{7}board")) (begun Sun, 06 Nov 1994 08:49:37 GMT) ended – crashed or "
                    + "was killed – while the plugin acme was in onRequest. If that happens again, switch that plugin off"
            ))
    }

    @Test(arguments: [
        ("/usr/bin/plugboard", "plugboard"), ("/opt/a b (deleted)", "a b"), ("server", "server"), ("/", "a program"),
        ("", "a program"),
    ])
    func `a program is known by its file's name`(path: String, name: String) {
        #expect(RunningProgram.lastPart(of: path) == name)
    }

    @Test func `removing one note leaves the others`() throws {
        let first = try #require(CrashNote(folder: folder.path, names: ["a"]))

        first.remove()
        let second = try #require(CrashNote(folder: folder.path, names: ["b"]))
        first.remove()

        #expect(try folder.entries().count == 1)
        withExtendedLifetime((first, second)) {}
    }

    @Test func `where there can be no file there is no note`() {
        #expect(CrashNote(folder: folder.file("nowhere"), names: ["a"]) == nil)
    }

    @Test func `starts at the same time take no note from one another`() async throws {
        let path = folder.path
        let isDone = Atomic(false)
        let sweeper = Thread.running {
            while !isDone.load(ordering: .relaxed) { _ = CrashReport.take(from: path) }
        }

        let notes = (0..<200).compactMap { CrashNote(folder: path, names: ["plugin \($0)"]) }
        isDone.store(true, ordering: .relaxed)
        try await sweeper.opened()

        // One may have been swept away while it was new, three times in a row: then there is none, and never half a
        // one.
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
