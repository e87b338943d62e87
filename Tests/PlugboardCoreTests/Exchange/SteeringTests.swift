import PlugboardKit
import Testing

@testable import PlugboardCore

/// The way of a head, decided without a loop, plugins or bodies.
@Suite struct SteeringTests {
    private static let all: Hooks = [.request, .response, .failure, .close]
    /// Three plugins that list every hook.
    private let three = HookSlots([all, all, all])

    /// Steering whose request has passed all slots, and whose response comes from the network.
    private func outward(_ hooks: HookSlots, _ stage: Stage = .response) -> Steering {
        var steering = Steering()
        while case .visit(let slot) = steering.step(hooks) { steering.pass(slot) }
        steering.goOutward(stage, from: hooks.count)
        return steering
    }

    /// The slots that are visited if every hook returns `next`, and the step after the last one.
    private func walk(_ steering: inout Steering, _ hooks: HookSlots) -> ([Int], Steering.Step) {
        var slots: [Int] = []
        while true {
            let step = steering.step(hooks)
            guard case .visit(let slot) = step else { return (slots, step) }
            slots.append(slot)
            steering.pass(slot)
        }
    }

    private func closings(_ steering: inout Steering, inside limit: Int, _ hooks: HookSlots) -> [Int] {
        var slots: [Int] = []
        while let slot = steering.closeInnermostTurn(inside: limit, hooks) { slots.append(slot) }
        return slots
    }

    @Test func `a request visits the slots from the outermost inward and is then sent`() {
        var steering = Steering()

        let (slots, step) = walk(&steering, three)

        #expect(slots == [0, 1, 2])
        #expect(step == .attempt)
        #expect(steering.turns == [SlotSet(0), SlotSet(1), SlotSet(2)])
    }

    @Test(arguments: [(Stage.response, Steering.Step.deliver), (.failure, .fail)])
    func `an outcome visits the slots in the reverse order and is then given to the sender`(
        stage: Stage, last: Steering.Step
    ) {
        var steering = outward(three, stage)

        let (slots, step) = walk(&steering, three)

        #expect(slots == [2, 1, 0])
        #expect(step == last)
    }

    @Test func `a slot that does not list onRequest opens its turn and sees the response`() {
        let hooks = HookSlots([Self.all, [.response], Self.all])
        var steering = Steering()

        let step = steering.step(hooks)
        steering.pass(0)
        let second = steering.step(hooks)

        #expect((step, second) == (.visit(0), .visit(2)))
        #expect(steering.turns == [SlotSet(0), SlotSet(1)])
        var outward = outward(hooks)
        #expect(walk(&outward, hooks).0 == [2, 1, 0])
    }

    @Test func `a pipeline without plugins sends at once`() {
        let none = HookSlots([])
        var steering = Steering()

        #expect(steering.step(none) == .attempt)
        steering.goOutward(.response, from: 0)
        #expect(steering.step(none) == .deliver)
    }

    @Test func `64 slots are visited inward and outward`() {
        let hooks = HookSlots(Array(repeating: Self.all, count: SlotSet.limit))
        var steering = outward(hooks)

        let (slots, step) = walk(&steering, hooks)

        #expect(slots == Array((0..<64).reversed()))
        #expect(step == .deliver)
        #expect(closings(&steering, inside: -1, hooks) == Array((0..<64).reversed()))
    }

    @Test func `the same slot comes next until it is passed, because a wait runs its hook again`() {
        var steering = Steering()

        let first = steering.step(three)
        let again = steering.step(three)

        #expect((first, again) == (.visit(0), .visit(0)))
        #expect(steering.turns.isEmpty)
    }

    @Test func `a response of a plugin is seen by the slots further out only`() {
        var steering = Steering()
        _ = steering.step(three)
        steering.pass(0)
        _ = steering.step(three)

        steering.goOutward(.response, from: 1)

        #expect(walk(&steering, three) == ([0], .deliver))
    }

    @Test func `a resend enters again just inside the slot that asked`() {
        var steering = outward(three)
        _ = steering.step(three)

        steering.reenter(inside: 0)

        #expect(walk(&steering, three) == ([1, 2], .attempt))
    }

    @Test func `a skipped slot is not visited, opens no turn and does not see the response`() {
        var steering = Steering()
        steering.exclusions = Exclusions(ancestry: SlotSet(1))

        let inward = walk(&steering, three)
        steering.goOutward(.response, from: three.count)

        #expect(inward == ([0, 2], .attempt))
        #expect(walk(&steering, three) == ([2, 0], .deliver))
    }

    @Test func `a sub-request that begins further in is not seen further out`() {
        var steering = Steering()
        steering.exclusions.begin(at: 1, disabled: [])
        steering.begin(at: 1)

        let inward = walk(&steering, three)
        steering.goOutward(.failure, from: three.count)

        #expect(inward == ([1, 2], .attempt))
        #expect(walk(&steering, three) == ([2, 1], .fail))
        #expect(steering.exclusions.eventExclusions.isEmpty)
    }

    @Test func `turns close from the innermost outward, each once`() {
        var steering = outward(three)

        #expect(closings(&steering, inside: 0, three) == [2, 1])
        #expect(closings(&steering, inside: -1, three) == [0])
        #expect(closings(&steering, inside: -1, three) == [])
    }

    @Test func `the turn of a slot that does not list onClose closes with the others`() {
        let hooks = HookSlots([Self.all, [.request, .response], Self.all])
        var steering = outward(hooks)

        #expect(closings(&steering, inside: 0, hooks) == [2])
        #expect(steering.turns == SlotSet(0))
    }

    @Test func `a slot whose turn was closed does not see a later outcome`() {
        var steering = outward(three)
        _ = closings(&steering, inside: 1, three)

        steering.goOutward(.failure, from: three.count)

        #expect(walk(&steering, three) == ([1, 0], .fail))
    }
}

@Suite struct ExclusionsTests {
    @Test func `a slot that the request switches off is skipped and gets no events`() {
        var exclusions = Exclusions()
        exclusions.begin(at: 0, disabled: [])

        exclusions.switchOff(SlotSet(1))

        #expect(exclusions.skipped == SlotSet(1))
        #expect(exclusions.eventExclusions == SlotSet(1))
    }

    @Test func `a plugin that is disabled for the kernel is skipped and gets no events`() {
        var exclusions = Exclusions()

        exclusions.begin(at: 0, disabled: SlotSet(2))

        #expect(exclusions.skipped == SlotSet(2))
        #expect(exclusions.eventExclusions == SlotSet(2))
    }

    @Test func `an ancestor of a sub-request is skipped and still gets events`() {
        var exclusions = Exclusions(ancestry: SlotSet(0), eventExclusions: SlotSet(3))

        exclusions.begin(at: 1, disabled: [])

        #expect(exclusions.skipped == [SlotSet(0), SlotSet(3)])
        #expect(exclusions.eventExclusions == SlotSet(3))
    }

    @Test func `another origin replaces what was switched off inside the slot that resends, and nothing else`() {
        var exclusions = Exclusions(ancestry: SlotSet(4))
        exclusions.begin(at: 0, disabled: [])
        exclusions.switchOff([SlotSet(0), SlotSet(2), SlotSet(4)])

        exclusions.replaceSwitchedOff(by: [SlotSet(1), SlotSet(3)], inside: 1)

        #expect(exclusions.skipped == [SlotSet(0), SlotSet(3), SlotSet(4)])
    }
}

@Suite struct SlotSetTests {
    @Test func `the outermost and the innermost slot are those with the smallest and the largest index`() {
        let set: SlotSet = [SlotSet(3), SlotSet(63)]

        #expect((set.outermost, set.innermost) == (3, 63))
        #expect((SlotSet().outermost, SlotSet().innermost) == (nil, nil))
    }

    @Test func `the slots of a set are taken out from the outermost inward`() {
        var set: SlotSet = [SlotSet(3), SlotSet(0), SlotSet(63)]

        let slots = set.map { $0 }
        let first = set.takeOutermost()

        #expect(slots == [0, 3, 63])
        #expect(first == 0 && set == [SlotSet(3), SlotSet(63)])
    }

    @Test func `before and after a set are the slots that are further out or in than each of it`() {
        let set: SlotSet = [SlotSet(2), SlotSet(61)]

        #expect(set.before == [SlotSet(0), SlotSet(1)])
        #expect(set.after == [SlotSet(62), SlotSet(63)])
        #expect(SlotSet(63).after.isEmpty)
        #expect(SlotSet().before.rawValue == .max && SlotSet().after.rawValue == .max)
    }

    @Test(arguments: [(0, UInt64(0)), (1, 1), (63, .max >> 1), (64, .max)])
    func `the slots before one are all with a smaller index`(slot: Int, bits: UInt64) {
        #expect(SlotSet.before(slot).rawValue == bits)
    }
}

extension HookSlots {
    fileprivate var count: Int { all.innermost.map { $0 + 1 } ?? 0 }
}
