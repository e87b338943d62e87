import Glibc

/// Aborts if a reader takes longer than linear time: more than 50 ms and 5 ms for each KiB, with the checks of a
/// sanitizer, and more than three times as long as for half of the bytes. Ten times these bounds always abort.
///
/// An input is short, and what grows with its square is quick as long as it is. So one input in 256 is also read
/// repeated up to 64 KiB, where a square takes seconds.
public func checkTime(_ bytes: UnsafeRawBufferPointer, _ read: (UnsafeRawBufferPointer) -> Void) {
    checkTimeOfMaking(bytes) {
        read($0)
        return 0
    }
}

/// The same for what makes other bytes of those that it reads: returns how many, and may take as long for them.
public func checkTimeOfMaking(_ bytes: UnsafeRawBufferPointer, _ make: (UnsafeRawBufferPointer) -> Int) {
    checkTimeOnce(bytes, make)
    let sum = bytes.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    guard sum >> 24 == 0, !bytes.isEmpty else { return }
    var many: [UInt8] = []
    while many.count < 64 << 10 { many += bytes }
    many.withUnsafeBytes { checkTimeOnce($0, make) }
}

private func checkTimeOnce(_ bytes: UnsafeRawBufferPointer, _ make: (UnsafeRawBufferPointer) -> Int) {
    let (time, limit) = measure(bytes, make)
    guard time >= limit else { return }
    // Many short lines are slow with a sanitizer, and still linear: half of them take half of the time.
    let half = measure(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), make)
    precondition(
        time < 10 * limit && time < 3 * half.time, "\(bytes.count) bytes take \(time) ms, and half \(half.time) ms")
}

/// The milliseconds of one reading, and those that it should take at most.
private func measure(
    _ bytes: UnsafeRawBufferPointer, _ make: (UnsafeRawBufferPointer) -> Int
) -> (time: Int, limit: Int) {
    let start = processTime()
    let count = bytes.count + make(bytes)
    return ((processTime() - start) / 1_000_000, 50 + 5 * count / 1024)
}

/// Nanoseconds of this process's own work, so that a busy machine does not count; a reader may have a thread of its
/// own.
private func processTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
