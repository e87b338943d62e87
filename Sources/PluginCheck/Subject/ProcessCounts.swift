import Glibc
import PlugboardMessages

/// What this process holds beside memory.
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
            guard let file = fopen("/proc/self/task/\(thread)/schedstat", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 128)
            guard fgets(&line, Int32(line.count), file) != nil else { continue }
            let text = line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            // The fields: time on a processor, time in the queue for one, number of time slices.
            let numbers = String(decoding: text, as: UTF8.self).split(separator: " ")
            if numbers.count > 1, let nanoseconds = Int64(numbers[1]) { lost &+= nanoseconds }
        }
        return .nanoseconds(lost)
    }
}
