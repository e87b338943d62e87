import Glibc

/// The latencies of all requests, in nanoseconds.
///
/// Sendable because each request sets its own element once, and the elements are read after all requests have ended.
final class Latencies: @unchecked Sendable {
    private let all: UnsafeMutableBufferPointer<UInt64>

    init(_ count: Int) {
        all = .allocate(capacity: max(count, 1))
        all.initialize(repeating: 0)
    }

    deinit { all.deallocate() }

    func set(_ number: Int, _ nanoseconds: UInt64) { all[number] = nanoseconds }

    /// The percentiles 50, 99 and 99.9 in microseconds.
    var text: String {
        let sorted = all.sorted()
        func percentile(_ part: Double) -> UInt64 { sorted[Int(Double(sorted.count - 1) * part)] / 1000 }
        return ", p50 \(percentile(0.5)) us, p99 \(percentile(0.99)) us, p99.9 \(percentile(0.999)) us"
    }
}

/// Nanoseconds on the monotonic clock.
func now() -> UInt64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
}

func sleep(until nanoseconds: UInt64) {
    var time = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
    while clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nil) == EINTR {}
}

/// CPU time of the process so far.
func cpuMicroseconds() -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

func hundredths(_ value: Double) -> Double { (value * 100).rounded() / 100 }

func startThread(_ body: @escaping @Sendable () -> Void) {
    final class Start {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    var thread = pthread_t()
    let context = Unmanaged.passRetained(Start(body)).toOpaque()
    let code = pthread_create(
        &thread, nil,
        { context in
            if let context { Unmanaged<Start>.fromOpaque(context).takeRetainedValue().body() }
            return nil
        }, context)
    precondition(code == 0, "A thread cannot be started.")
    pthread_detach(thread)
}
