import PlugboardMessages
import Synchronization

/// The resource that an interim response has announced, which is noted off the loop.
final class Announcement: Sendable {
    private struct State {
        var resource: UploadResource?
        var task: Task<Void, Never>?
    }

    private let state = Mutex(State())

    /// [loop]
    func set(_ resource: UploadResource, _ note: @escaping @Sendable () -> Void) {
        state.withLock { state in
            // The last counts: a request that was sent again, as after a redirect, has another resource.
            guard state.resource != resource else { return }
            state.resource = resource
            state.task = Task { [earlier = state.task] in
                await earlier?.value
                note()
            }
        }
    }

    /// Waits until it is noted.
    func resource() async -> UploadResource? {
        let (resource, task) = state.withLock { ($0.resource, $0.task) }
        await task?.value
        return resource
    }
}
