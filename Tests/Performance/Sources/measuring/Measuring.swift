import Glibc
import PlugboardKit

/// CPU time of the process so far, or of this thread alone, in microseconds.
public func cpuTime(ofThread: Bool = false) -> Double {
    var usage = rusage()
    getrusage(__rusage_who_t(ofThread ? 1 : RUSAGE_SELF.rawValue), &usage)
    return Double(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e6
        + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec)
}

/// Bytes that are resident, from /proc/self/statm.
public func residentBytes() -> Int {
    guard let file = fopen("/proc/self/statm", "r") else { return 0 }
    defer { fclose(file) }
    var buffer = [CChar](repeating: 0, count: 128)
    guard fgets(&buffer, 128, file) != nil else { return 0 }
    let words = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self).split(
        separator: " ")
    return words.count > 1 ? (Int(words[1]) ?? 0) * sysconf(Int32(_SC_PAGESIZE)) : 0
}

public func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }

public func rounded(_ value: Double, _ places: Int = 2) -> String {
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    return "\((value * scale).rounded() / scale)"
}
