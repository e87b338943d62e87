/// The admissions that wait at a key: those of a lane in order, the lanes in turn.
///
/// If each tenant has a lane, a tenant with many requests does not delay those of the others.
struct FairQueue {
    private var lanes: [ObjectIdentifier: AdmissionHeap] = [:]
    /// Each lane once, also an empty one, which is removed when it is next.
    private var order = Line<ObjectIdentifier>()
    /// The admissions that wait.
    private(set) var count = 0

    /// The admissions in a lane.
    func count(in lane: ObjectIdentifier) -> Int { lanes[lane]?.items.count ?? 0 }

    mutating func append(_ admission: Admission, to lane: ObjectIdentifier) {
        if lanes[lane] == nil { order.append(lane) }
        lanes[lane, default: AdmissionHeap()].insert(admission)
        count += 1
    }

    mutating func popFirst() -> Admission? {
        while let lane = order.popFirst() {
            if let next = lanes[lane]?.items.first {
                order.append(lane)
                remove(next, from: lane)
                return next
            }
            lanes[lane] = nil
        }
        return nil
    }

    mutating func remove(_ admission: Admission, from lane: ObjectIdentifier) {
        guard lanes[lane]?.remove(admission) == true else { return }
        count -= 1
        if count == 0 { self = FairQueue() }
    }
}

/// Admissions, of which the one with the lowest number is first; each knows its index.
struct AdmissionHeap {
    private(set) var items: [Admission] = []

    mutating func insert(_ admission: Admission) {
        items.append(admission)
        rise(items.count - 1)
    }

    /// Removes an admission; false if it is not there.
    mutating func remove(_ admission: Admission) -> Bool {
        let index = admission.index
        guard items.indices.contains(index), items[index] === admission, let last = items.popLast() else {
            return false
        }
        if last !== admission {
            items[index] = last
            rise(index)
            sink(last.index)
        }
        return true
    }

    private mutating func rise(_ start: Int) {
        var index = start
        items[index].index = index
        while index > 0, items[index].number < items[(index - 1) / 2].number {
            swap(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    private mutating func sink(_ start: Int) {
        var index = start
        while let child = [2 * index + 1, 2 * index + 2].filter(items.indices.contains)
            .min(by: { items[$0].number < items[$1].number }), items[child].number < items[index].number
        {
            swap(index, child)
            index = child
        }
    }

    private mutating func swap(_ first: Int, _ second: Int) {
        items.swapAt(first, second)
        (items[first].index, items[second].index) = (first, second)
    }
}

/// A queue whose two ends take constant time.
struct Line<Element> {
    private var items: [Element] = []
    private var head = 0

    mutating func append(_ item: Element) { items.append(item) }

    mutating func popFirst() -> Element? {
        guard head < items.count else { return nil }
        defer {
            head += 1
            if head > 32, head > items.count / 2 {
                items.removeFirst(head)
                head = 0
            }
        }
        return items[head]
    }
}
