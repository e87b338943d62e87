import Testing

@testable import PlugboardQueue

/// Which of the exchanges that wait for a line is woken, and when.
struct LinesTests {
    private final class One {
        var lines = Lines<String>()

        var isBusy: Bool? { lines.isBusy("c") }
        var isEntered: Bool { lines.isEntered("c") }
        var woken: [String] { lines.takeWoken() }

        func enter(_ name: String, canWait: Bool = true, isLater: Bool = false) -> UInt64? {
            let entrance = lines.enter("c", "o", name, canWait: canWait, isLater: isLater)
            if case .waits(let number) = entrance { return number }
            return nil
        }

        func set(isBusy: Bool) { lines.set("c", isBusy: isBusy) }
        func mayPass(_ number: UInt64) -> Bool { lines.begin("c", number) }
        func leave(_ number: UInt64) { lines.leave("c", number) }
    }

    private let line = One()

    @Test func `the next is woken when the line is empty and the one before it has ended`() throws {
        line.set(isBusy: true)
        let a = try #require(line.enter("a"))
        let b = try #require(line.enter("b"))
        #expect(line.woken == [])

        line.set(isBusy: false)
        #expect(line.woken == ["a"])
        #expect(line.mayPass(a))
        // It has written a row of its own, which is removed before its end.
        line.set(isBusy: true)
        line.set(isBusy: false)
        #expect(line.woken == [])
        line.leave(a)
        #expect(line.woken == ["b"])
        #expect(line.mayPass(b))
        #expect(line.isEntered)
        line.leave(b)
        #expect(line.woken == [] && !line.isEntered)
    }

    @Test func `without hope they are put into the file one after the other`() throws {
        line.set(isBusy: true)
        let a = try #require(line.enter("a"))
        let b = try #require(line.enter("b"))

        line.lines.giveUp("another")
        #expect(line.woken == [])
        line.lines.giveUp("o")
        #expect(line.woken == ["a"])
        #expect(!line.mayPass(a))
        line.leave(a)
        #expect(line.woken == ["b"])
        #expect(!line.mayPass(b))
    }

    @Test func `a request for later does not wait for the network, and overtakes none`() throws {
        line.set(isBusy: true)
        let a = try #require(line.enter("a"))
        line.set(isBusy: false)
        #expect(line.woken == ["a"] && line.mayPass(a))
        let b = try #require(line.enter("b"))

        let later = try #require(line.enter("later", isLater: true))

        // The first is still under way.
        #expect(line.woken == ["b"] && !line.mayPass(b))
        line.leave(b)
        #expect(line.woken == ["later"] && !line.mayPass(later))
    }

    @Test func `one whose time is over, or that is cancelled, holds up no other`() throws {
        line.set(isBusy: true)
        let a = try #require(line.enter("a"))
        let b = try #require(line.enter("b"))
        let d = line.enter("d")
        #expect(!line.mayPass(a))
        line.leave(b)

        line.set(isBusy: false)

        #expect(line.woken == ["d"] && d != nil)
    }

    @Test func `a line that is not known lets none pass, and one that cannot be waited for says so`() {
        #expect(line.isBusy == nil)
        #expect(line.enter("a", canWait: false) == nil)
        line.set(isBusy: false)
        let entrance = line.lines.enter("c", "o", "a", canWait: true, isLater: false)
        #expect(entrance == .free)
        line.lines.forget()
        #expect(line.isBusy == nil)
    }
}
