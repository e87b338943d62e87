import Dispatch
import Glibc

/// A thread in its own network namespace, which begins with a loopback interface that is down.
package final class NetworkNamespace: Sendable {
    /// Whether the system can make such namespaces and has the program `ip`.
    package static let isPossible: Bool = {
        guard let namespace = try? NetworkNamespace() else { return false }
        return (try? namespace.ip("link add probe0 type veth peer name probe1")) != nil
    }()

    private let queue = Jobs()

    package init() throws {
        let code = queue.run { GNU.unshare(GNU.newNetwork) == 0 ? 0 : errno }
        if code != 0 {
            queue.end()
            throw SystemError.failed("unshare", code)
        }
    }

    deinit { queue.end() }

    /// Runs a closure in the namespace, and returns after it.
    package func run<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) throws -> Value {
        try queue.run { Result { try body() } }.get()
    }

    /// Runs `ip` with these arguments in the namespace.
    package func ip(_ words: String) throws {
        _ = try run { try ProcessRunner.output(of: ["ip"] + words.split(separator: " ").map(String.init)) }
    }
}

/// A thread that runs closures one by one.
private final class Jobs: Sendable {
    private let jobs = DispatchSemaphore(value: 0)
    private let list = Locked<[@Sendable () -> Bool]>([])

    init() {
        let start = Unmanaged.passRetained(Start(jobs, list))
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                let start = Unmanaged<Start>.fromOpaque(context).takeRetainedValue()
                while true {
                    start.jobs.wait()
                    guard let job = start.list.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) else { continue }
                    if !job() { return nil }
                }
            }, start.toOpaque())
        pthread_detach(thread)
    }

    package func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) -> Value {
        let done = DispatchSemaphore(value: 0)
        let result = Locked<Value?>(nil)
        add {
            let value = body()
            result.withLock { $0 = value }
            done.signal()
            return true
        }
        done.wait()
        guard let value = result.withLock({ $0 }) else { fatalError("The job has set no value.") }
        return value
    }

    func end() { add { false } }

    private func add(_ job: @escaping @Sendable () -> Bool) {
        list.withLock { $0.append(job) }
        jobs.signal()
    }

    private final class Start {
        let jobs: DispatchSemaphore
        let list: Locked<[@Sendable () -> Bool]>
        init(_ jobs: DispatchSemaphore, _ list: Locked<[@Sendable () -> Bool]>) {
            self.jobs = jobs
            self.list = list
        }
    }
}
