import PlugboardKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// In which plugins one run of a program has ended, as its note says (`CrashNote`).
struct CrashReport: Equatable, Sendable {
    /// A call that was under way at the end.
    struct Call: Equatable, Sendable {
        /// The plugin's id, or the path of a file that was being loaded.
        let plugin: String
        let hook: CalledHook
    }

    let program: String
    /// When the note was made: soon after the run began.
    let began: HTTPDate
    let calls: [Call]

    /// For the log. It says only what is known.
    var sentence: String {
        let calls = calls.map { call in
            call.hook == .load
                ? "it loaded the plugin \(Printable.text(call.plugin))"
                : "the plugin \(Printable.text(call.plugin)) was in \(call.hook)"
        }
        let plugins = calls.count == 1 ? "that plugin" : "one of them"
        return "An earlier run of \(Printable.text(program)) (begun \(began)) ended – crashed or was killed – while "
            + "\(calls.joined(separator: " and ")). If that happens again, switch \(plugins) off "
            + "(\"enabled\": false in the configuration); --safe starts the command without loaded plugins."
    }
}

extension CrashReport {
    /// For how many days notes of other programs are kept, and how many of them.
    private static let daysKept: Int64 = 30
    private static let countKept = 32

    /// A note of another program, and how many seconds ago it was found.
    struct OtherProgram {
        let path: String
        let age: Int64
    }

    /// Removes the notes that ended runs of one program have left in a folder, and returns what they say. Blocks.
    ///
    /// Notes of other programs are kept for a month from when they were found, and at most 32 of them.
    static func take(
        from folder: String, for program: String = RunningProgram.name,
        now: Int64 = clockTime(CLOCK_REALTIME) / 1_000_000_000
    ) -> [CrashReport] {
        var reports: [CrashReport] = []
        var others: [OtherProgram] = []
        for name in names(inFolder: folder) where ["running-", "ended-", "new-"].contains(where: name.hasPrefix) {
            switch look(at: name, in: folder, for: program, now) {
            case .report(let report): reports.append(report)
            case .otherProgram(let otherProgram): others.append(otherProgram)
            case nil: break
            }
        }
        for otherProgram in tooMany(others) { unlink(otherProgram.path) }
        return reports
    }

    /// The notes of other programs that are not kept.
    static func tooMany(_ others: [OtherProgram]) -> [OtherProgram] {
        others.sorted { $0.age < $1.age }.enumerated()
            .filter { $0.offset >= countKept || $0.element.age > daysKept * 86_400 }.map(\.element)
    }

    private enum Look {
        case report(CrashReport)
        case otherProgram(OtherProgram)
    }

    /// Reads one note. Nil if its process still runs, or if it says nothing; in the second case it is removed.
    private static func look(
        at name: String, in folder: String, for program: String, _ now: Int64
    ) -> Look? {
        let path = "\(folder)/\(name)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        guard !name.hasPrefix("new-"), let report = contents(of: descriptor), !report.calls.isEmpty else {
            unlink(path)
            return nil
        }
        if report.program == program {
            // Of several programs that start at once, the one that removes the file reports it.
            return unlink(path) == 0 ? .report(report) : nil
        }
        guard name.hasPrefix("running-") else {
            var status = stat()
            guard fstat(descriptor, &status) == 0 else { return nil }
            return .otherProgram(OtherProgram(path: path, age: now - Int64(status.st_mtim.tv_sec)))
        }
        // From here on the file's time is when it was found; when the run ended is not known.
        let ended = "\(folder)/ended-\(name.dropFirst("running-".count))"
        let times = [timespec](repeating: timespec(tv_sec: Int(now), tv_nsec: 0), count: 2)
        guard futimens(descriptor, times) == 0, rename(path, ended) == 0 else { return nil }
        return .otherProgram(OtherProgram(path: ended, age: 0))
    }

    private static func contents(of descriptor: Int32) -> CrashReport? {
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_size >= CrashNote.headSize(0),
            status.st_size <= CrashNote.sizeLimit
        else { return nil }
        var content = [UInt8](repeating: 0, count: Int(status.st_size))
        guard content.withUnsafeMutableBytes({ read(descriptor, $0.baseAddress, $0.count) }) == content.count
        else { return nil }
        return CrashReport(content)
    }

    /// Nil if the content is not a note.
    private init?(_ content: [UInt8]) {
        guard content.starts(with: CrashNote.signature) else { return nil }
        func word(_ index: Int) -> UInt64 {
            content[(index * 8)..<(index * 8 + 8)].withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
        }
        let wordCount = Int(clamping: word(1))
        guard wordCount <= (content.count - CrashNote.headSize(0)) / 8 else { return nil }
        let names = content[CrashNote.headSize(wordCount)...].split(separator: 0, omittingEmptySubsequences: false)
            .map { String(decoding: $0, as: UTF8.self) }
        guard let program = names.first else { return nil }
        self.program = program
        began = HTTPDate(seconds: Int64(bitPattern: word(2 + wordCount)))
        calls = (2..<2 + wordCount).compactMap { index in
            guard let call = CallMark.Call(word: word(index)), call.slot + 1 < names.count else { return nil }
            return Call(plugin: names[call.slot + 1], hook: call.hook)
        }
    }
}
