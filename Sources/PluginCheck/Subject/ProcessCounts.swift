import PlugboardMessages
import PlugboardSystem

/// Resources of this process other than memory.
struct ProcessCounts {
    let threads: Int
    let descriptors: Int

    static var now: ProcessCounts {
        ProcessCounts(
            threads: names(inFolder: "/proc/self/task").count, descriptors: names(inFolder: "/proc/self/fd").count)
    }

    /// How long threads of this process waited for a processor, summed over threads; zero where the system does
    /// not report it.
    static var lostTime: Duration {
        var lost: Int64 = 0
        for thread in names(inFolder: "/proc/self/task") {
            // The fields: time on a processor, time in the queue for one, number of time slices.
            let numbers = SmallFile.text(of: "/proc/self/task/\(thread)/schedstat")?.split(separator: " ") ?? []
            if numbers.count > 1, let nanoseconds = Int64(numbers[1]) { lost &+= nanoseconds }
        }
        return .nanoseconds(lost)
    }
}
