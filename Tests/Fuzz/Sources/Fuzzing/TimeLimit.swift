import Glibc

/// Aborts if a reader takes longer than 50 ms and 5 ms for each KiB, with the checks of a sanitizer.
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
    let start = processTime()
    let count = bytes.count + make(bytes)
    let milliseconds = (processTime() - start) / 1_000_000
    precondition(milliseconds < 50 + 5 * count / 1024, "\(count) bytes take \(milliseconds) ms")
}

/// Nanoseconds of this process's own work, so that a busy machine does not count; a reader may have a thread of its
/// own.
private func processTime() -> Int {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return time.tv_sec * 1_000_000_000 + time.tv_nsec
}
