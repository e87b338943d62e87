import PlugboardSystem

/// Measures how long a call occupied its thread, without the time that the system gave to other threads.
struct Stopwatch {
    private let wall: Int64
    private let processor: Int64
    private let preemptions: Int

    init() {
        wall = nanoseconds(CLOCK_MONOTONIC)
        processor = nanoseconds(CLOCK_THREAD_CPUTIME_ID)
        preemptions = Stopwatch.preemptions
    }

    /// The time since the beginning that the call itself used: computing and sleeping, without the time that the
    /// system gave to other threads.
    var blame: Duration {
        let wasPreempted = Stopwatch.preemptions != preemptions
        let spent =
            wasPreempted ? nanoseconds(CLOCK_THREAD_CPUTIME_ID) - processor : nanoseconds(CLOCK_MONOTONIC) - wall
        return .nanoseconds(spent)
    }

    private static var preemptions: Int {
        var usage = rusage()
        // RUSAGE_THREAD, which the module Glibc lacks.
        getrusage(__rusage_who_t(1), &usage)
        return usage.ru_nivcsw
    }
}

private func nanoseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}
