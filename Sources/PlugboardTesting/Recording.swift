import Synchronization

/// A list of events in order. Any thread may add elements, and a test can wait for them.
final class Recording<Element: Sendable>: Sendable {
    private struct Waiter {
        let number: Int
        let isContent: @Sendable ([Element]) -> Bool
        let continuation: UnsafeContinuation<Void, Never>
    }

    private struct State {
        var elements: [Element] = []
        var waiters: [Waiter] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    var elements: [Element] { state.withLock { $0.elements } }

    /// Adds an element and returns the number of elements.
    @discardableResult
    func add(_ element: Element) -> Int {
        let (count, content) = state.withLock { state in
            state.elements.append(element)
            let content = state.waiters.filter { $0.isContent(state.elements) }
            state.waiters.removeAll { waiter in content.contains { $0.number == waiter.number } }
            return (state.elements.count, content)
        }
        for waiter in content { waiter.continuation.resume() }
        return count
    }

    /// Waits until the closure accepts the elements, or the task is cancelled.
    func elements(until isContent: @escaping @Sendable ([Element]) -> Bool) async -> [Element] {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let isOver = state.withLock { state in
                    if isContent(state.elements) || Task.isCancelled { return true }
                    state.waiters.append(Waiter(number: number, isContent: isContent, continuation: continuation))
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiter = state.withLock { state in
                state.waiters.firstIndex { $0.number == number }.map { state.waiters.remove(at: $0) }
            }
            waiter?.continuation.resume()
        }
        return elements
    }
}
