import PlugboardMessages
import Synchronization

/// The resource that an interim response has announced. It is noted on another thread than the loop.
final class Announcement: Sendable {
    private struct State {
        var resource: UploadResource?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// Sets the resource and runs the closure that notes it. [loop]
    func set(_ resource: UploadResource, _ note: @escaping @Sendable () -> Void) {
        state.withLock { state in
            // The last resource is used: a request that was sent again, as after a redirect, has another one.
            guard state.resource != resource else { return }
            state.resource = resource
            state.task = Task { [earlier = state.task] in
                await earlier?.value
                note()
            }
        }
    }

    /// The resource, after it was noted.
    func resource() async -> UploadResource? {
        let (resource, task) = state.withLock { ($0.resource, $0.task) }
        await task?.value
        return resource
    }
}
