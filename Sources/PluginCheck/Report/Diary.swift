import Dispatch
import Glibc
import JSON
import PlugboardKit
import Synchronization

/// What a check tells to the process that started it: what it is about to do, and in the end what came of it.
///
/// Each is a line `WORD<TAB>TEXT`; the word is `doing`, `covered` or a status. If the process dies, the last `doing` says at what.
/// It dies by its own hand, as failed, when one thing takes too long: an exchange that comes to no end, or a hook that
/// does not return.
enum Diary {
    private struct State {
        var outlet: Int32 = -1
        var isClosed = false
        var doing = ""
        var began = ContinuousClock.now
        /// What had been lost to others by then.
        var lost = Duration.zero
    }

    private static let state = Mutex(State())

    /// The longest that one thing may take.
    static let patience: Duration = .seconds(10)

    static func open(_ outlet: Int32) {
        state.withLock {
            $0.outlet = outlet
            $0.began = .now
        }
        watch()
    }

    /// Notes what is done next.
    static func now(_ doing: String) {
        state.withLock { state in
            state.doing = doing
            state.began = .now
            state.lost = ProcessCounts.lostTime
            write("doing", doing, to: state.outlet)
        }
    }

    /// Tells the outcome and ends the process, whatever its threads are doing.
    static func close(_ status: CheckResult.Status, _ reason: String) -> Never {
        state.withLock { state in
            // Whoever comes second waits for the end here.
            if !state.isClosed {
                write("covered", JSONWriter.write(Wiretap.coverage.json), to: state.outlet)
                write(status.rawValue, reason, to: state.outlet)
            }
            state.isClosed = true
            _exit(0)
        }
    }

    /// Looks every now and then whether what is being done takes too long.
    private static func watch(since steps: UInt64? = nil) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) {
            let now = Wiretap.marker?.steps
            let (overdue, began, lost) = state.withLock { ($0.doing, $0.began, $0.lost) }
            // What the machine gave to others is not the plugin's delay.
            guard began.duration(to: .now) > patience,
                began.duration(to: .now) - (ProcessCounts.lostTime - lost) > patience
            else { return watch(since: now) }
            let stuck = now == steps ? Wiretap.marker?.hook : nil
            let hook = stuck.map { ", in \($0), which has not returned" } ?? ""
            let seconds = patience.components.seconds
            close(.failed, "no end within \(seconds) s\(hook)\(overdue.isEmpty ? "" : ", with \(overdue)")")
        }
    }

    private static func write(_ word: String, _ text: String, to outlet: Int32) {
        var line = "\(word)\t\(printable(text))\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let count = Glibc.write(outlet, rest.baseAddress, rest.count)
                guard count > 0 || errno == EINTR else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[max(count, 0)...])
            }
        }
    }
}
