import CurlTransport
import PlugboardKit
import Synchronization

/// The timers of plugins: started and cancelled from any thread, fired on the loop.
final class PluginTimers: Sendable {
    typealias Fired = @Sendable @convention(c) (UnsafeMutableRawPointer?) -> Void

    private let loop: EventLoop
    private let waiting = Registry<Bool>()

    init(loop: EventLoop) { self.loop = loop }

    func start(after: Int64, context: UnsafeMutableRawPointer?, fired: @escaping Fired) -> UInt64 {
        let number = waiting.add(true)
        let address = UInt(bitPattern: context)
        loop.enqueue { [self] in
            let (deadline, isFar) = loop.now.addingReportingOverflow(max(after, 0))
            guard !isFar else { return }
            // A cancelled timer fires and finds its number gone: cancelling is rare, and so needs no way to the loop.
            _ = loop.schedule(at: deadline) { [self] in
                if waiting.remove(number) != nil { fired(UnsafeMutableRawPointer(bitPattern: address)) }
            }
        }
        return number
    }

    /// False if it has fired already.
    func cancel(_ number: UInt64) -> Bool { waiting.remove(number) != nil }
}
