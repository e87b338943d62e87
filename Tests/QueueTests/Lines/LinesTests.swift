import Testing

@testable import PlugboardQueue

/// Which of the exchanges of a line goes on, and when.
struct LinesTests {
    private final class One {
        var lines = Lines<String>()

        var woken: [String] { lines.takeWoken() }

        func enter() -> UInt64? { lines.enter("c") }
        func wait(_ name: String, _ kind: Lines<String>.Kind = .kept) -> UInt64 { lines.wait("c", kind, "o", name) }
        func waitAgain(_ number: UInt64, _ name: String) -> Bool { lines.wait("c", number, name) }
        func set(isBusy: Bool) { lines.set("c", isBusy: isBusy) }
        func step(_ number: UInt64) -> Lines<String>.Step { lines.step("c", number) }
        func leave(_ number: UInt64) { lines.leave("c", number) }
    }

    private let line = One()

    @Test func `the next goes on when the line is empty and the one before it has its outcome`() {
        let (a, b, d) = (line.wait("a"), line.wait("b"), line.wait("d"))
        line.set(isBusy: false)
        #expect(line.woken == ["a"] && line.step(a) == .pass(a))
        // A row of its own, which is removed before its end.
        line.set(isBusy: true)
        line.set(isBusy: false)
        #expect(line.woken == [] && line.lines.isPassed("c"))

        line.leave(a)
        #expect(line.woken == ["b"] && line.step(b) == .pass(b))
        line.leave(b)
        #expect(line.woken == ["d"] && line.step(d) == .pass(d))
        line.leave(d)
        #expect(line.woken == [] && !line.lines.isPassed("c") && !line.lines.hasWaiters)
    }

    @Test func `one waits until the file is asked for it, and goes on when it is empty`() {
        line.set(isBusy: false)
        let a = line.wait("a")
        #expect(line.woken == [])

        line.set(isBusy: false)

        #expect(line.woken == ["a"] && line.step(a) == .pass(a))
    }

    @Test func `what is forgotten between a reply of the file and the next visit changes nothing`() {
        let a = line.wait("a")
        line.set(isBusy: true)
        line.lines.forget()
        #expect(line.woken == [])

        line.set(isBusy: false)
        let woken = line.woken
        line.lines.forget()

        #expect(woken == ["a"] && line.step(a) == .pass(a))
    }

    @Test func `where the network is gone they are put into the file one after the other`() {
        let (a, b) = (line.wait("a"), line.wait("b"))
        line.set(isBusy: true)

        line.lines.giveUp(origin: "another")
        #expect(line.woken == [])
        line.lines.giveUp(origin: "o")
        #expect(line.woken == ["a"] && line.step(a) == .queue(a))
        line.leave(a)
        #expect(line.woken == ["b"] && line.step(b) == .queue(b))
    }

    @Test func `a request for later does not wait for the network, and overtakes none`() {
        let a = line.wait("a")
        line.set(isBusy: false)
        #expect(line.woken == ["a"] && line.step(a) == .pass(a))
        let b = line.wait("b")
        #expect(line.enter() == nil)

        let later = line.wait("later", .later)

        // The first is still under way.
        #expect(line.woken == ["b"] && line.step(b) == .queue(b))
        line.leave(b)
        #expect(line.woken == ["later"] && line.step(later) == .queue(later))
        line.leave(later)
        #expect(line.enter() == later + 1)
    }

    @Test func `one whose time is over goes on in its order, and one that is cancelled delays no other`() {
        let (a, b, d) = (line.wait("a"), line.wait("b"), line.wait("d"))
        line.set(isBusy: true)
        #expect(line.step(b) == .wait)
        #expect(line.woken == ["a"])
        #expect(line.waitAgain(b, "b again"))
        line.leave(a)
        #expect(line.woken == ["b again"] && line.step(b) == .queue(b))

        line.leave(b)
        line.leave(d)
        let e = line.wait("e")
        line.set(isBusy: false)

        #expect(line.woken == ["e"] && line.step(e) == .pass(e))
        #expect(!line.waitAgain(e, "late"))
    }

    @Test func `what is not kept waits for the file, passes beside others, and delays none`() {
        let a = line.wait("a")
        line.set(isBusy: false)
        #expect(line.woken == ["a"] && line.step(a) == .pass(a))
        let (reading, b) = (line.wait("reading", .unkept), line.wait("b"))
        line.set(isBusy: true)
        #expect(line.woken == [])

        line.set(isBusy: false)

        #expect(line.woken == ["reading"] && line.step(reading) == .pass(nil))
        line.leave(reading)
        #expect(line.woken == [])
        line.leave(a)
        #expect(line.woken == ["b"] && line.step(b) == .pass(b))
    }

    @Test func `where nothing is sent soon, those that wait for a busy line are put into it`() {
        let (reading, a) = (line.wait("reading", .unkept), line.wait("a"))
        line.set(isBusy: true)

        line.lines.giveUp(line: "c")

        #expect(line.woken == ["reading", "a"])
        #expect(line.step(reading) == .pass(nil) && line.step(a) == .queue(a))
    }
}
