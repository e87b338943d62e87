import Testing

@_spi(QueueStores) @testable import PlugboardQueue

/// Which of the exchanges of a line goes on, and when.
struct LinesTests {
    private final class One {
        var lines = Lines<String>()

        var woken: [String] { lines.takeWoken() }

        func enter(_ kind: Lines<String>.Kind = .kept, canWait: Bool = true) -> Lines<String>.Step {
            lines.enter("c", kind, canWait: canWait)
        }
        func wait(_ name: String, _ kind: Lines<String>.Kind = .kept) -> UInt64 { lines.wait("c", kind, "o", name) }
        func waitAgain(_ number: UInt64, _ name: String) -> Bool { lines.wait("c", number, name) }
        func set(isBusy: Bool) { lines.set("c", isBusy: isBusy) }
        func step(_ number: UInt64) -> Lines<String>.Step { lines.step("c", number) }
        func leave(_ number: UInt64) { lines.leave("c", number) }
    }

    private let line = One()

    @Test func `the next goes on when the line is empty and the one before it has its outcome`() {
        line.set(isBusy: false)
        #expect(line.enter() == .pass(1))
        #expect(line.enter() == .wait)
        let b = line.wait("b")
        let d = line.wait("d")
        // A row of its own, which is removed before its end.
        line.set(isBusy: true)
        line.set(isBusy: false)
        #expect(line.woken == [] && line.lines.isPassed("c"))

        line.leave(1)
        #expect(line.woken == ["b"] && line.step(b) == .pass(b))
        line.leave(b)
        #expect(line.woken == ["d"] && line.step(d) == .pass(d))
        line.leave(d)
        #expect(line.woken == [] && !line.lines.isPassed("c") && !line.lines.hasWaiters)
    }

    @Test func `one waits while the file was not asked, and goes on when it is empty`() {
        #expect(line.enter() == .wait && line.enter(.unkept) == .wait)
        let a = line.wait("a")
        #expect(line.woken == [])

        line.set(isBusy: false)

        #expect(line.woken == ["a"] && line.step(a) == .pass(a))
    }

    @Test func `what is forgotten between a reply of the file and the next visit changes nothing`() {
        let a = line.wait("a")
        line.set(isBusy: true)
        line.lines.forget()
        #expect(line.woken == [] && line.enter() == .wait)

        line.set(isBusy: false)
        let woken = line.woken
        line.lines.forget()

        #expect(woken == ["a"] && line.step(a) == .pass(a))
    }

    @Test func `where the network is gone they are put into the file one after the other`() {
        line.set(isBusy: true)
        let (a, b) = (line.wait("a"), line.wait("b"))

        line.lines.giveUp(origin: "another")
        #expect(line.woken == [])
        line.lines.giveUp(origin: "o")
        #expect(line.woken == ["a"] && line.step(a) == .queue(a))
        line.leave(a)
        #expect(line.woken == ["b"] && line.step(b) == .queue(b))
    }

    @Test func `a request for later does not wait for the network, and overtakes none`() {
        line.set(isBusy: false)
        #expect(line.enter() == .pass(1))
        let b = line.wait("b")
        #expect(line.enter(.later) == .wait)

        let later = line.wait("later", .later)

        // The first is still under way.
        #expect(line.woken == ["b"] && line.step(b) == .queue(b))
        line.leave(b)
        #expect(line.woken == ["later"] && line.step(later) == .queue(later))
        line.leave(later)
        #expect(line.enter(.later) == .queue(later + 1))
    }

    @Test func `one whose time is over goes on in its order, and one that is cancelled delays no other`() {
        line.set(isBusy: true)
        let (a, b, d) = (line.wait("a"), line.wait("b"), line.wait("d"))
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
        line.set(isBusy: false)
        #expect(line.enter() == .pass(1) && line.enter(.unkept) == .pass(nil))
        line.set(isBusy: true)
        let reading = line.wait("reading", .unkept)
        let b = line.wait("b")

        line.set(isBusy: false)

        #expect(line.woken == ["reading"] && line.step(reading) == .pass(nil))
        line.leave(reading)
        #expect(line.woken == [])
        line.leave(1)
        #expect(line.woken == ["b"] && line.step(b) == .pass(b))
    }

    @Test func `where nothing is sent soon, one is put into a busy line at once, and sent in an empty one`() {
        line.set(isBusy: true)
        #expect(line.enter(.unkept, canWait: false) == .pass(nil))
        #expect(line.enter(canWait: false) == .queue(1))
        line.leave(1)
        line.set(isBusy: false)

        #expect(line.enter(canWait: false) == .pass(2))
    }
}
