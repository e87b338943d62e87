import Dispatch
import PlugboardJSON
import PlugboardKit
import PlugboardSystem
import Synchronization

/// Messages of a check for its parent process: its next step, and at the end its outcome.
///
/// Each entry is a line `WORD<TAB>TEXT`; the word is `doing`, `covered` or a status. If the process crashes, the last
/// `doing` shows the step. When one step takes too long (an exchange that does not end, or a hook that does not
/// return), the diary ends the process with the status failed.
enum Diary {
    private struct State {
        var outlet: Int32 = -1
        var isClosed = false
        var doing = ""
        var began = ContinuousClock.now
        /// The time that other processes had used by then.
        var lost = Duration.zero
        /// The time after which a step of the check counts as hanging.
        var patience = Duration.seconds(10)
    }

    private static let state = Mutex(State())

    static func open(_ outlet: Int32, patience: Duration) {
        state.withLock {
            $0.outlet = outlet
            $0.patience = patience
            $0.began = .now
        }
        watch()
    }

    /// Writes the next step.
    static func now(_ doing: String) {
        state.withLock { state in
            state.doing = doing
            state.began = .now
            state.lost = ProcessCounts.lostTime
            write("doing", doing, to: state.outlet)
        }
    }

    /// Writes the outcome and ends the process, even if other threads are still running.
    static func close(_ status: CheckResult.Status, _ reason: String) -> Never {
        state.withLock { state in
            // A second caller waits here until the process ends.
            if !state.isClosed {
                write("covered", JSONWriter.write(Wiretap.coverage.json), to: state.outlet)
                write(status.rawValue, reason, to: state.outlet)
            }
            state.isClosed = true
            _exit(0)
        }
    }

    /// Checks repeatedly whether the current step takes too long.
    private static func watch(since steps: UInt64? = nil) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(200)) {
            let now = Wiretap.marker?.steps
            let (overdue, began, lost, patience) = state.withLock { ($0.doing, $0.began, $0.lost, $0.patience) }
            // Time that the machine gave to other processes is not the plugin's delay.
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
        var line = "\(word)\t\(Printable.text(text))\n"
        _ = line.withUTF8 { writeAll(UnsafeRawBufferPointer($0), to: outlet) }
    }
}
