import PlugboardKit

/// The check kit: holds a plugin to the rules of `plugboard.h`, and finds out what it does when the rest of the world
/// behaves badly.
///
///     plugboard plugins check ./libacme_sign.so
///     plugboard plugins check ./libacme_sign.so --strict --set key=0123 --seed 42
///
/// Each check runs in a process of its own, so a plugin that crashes, hangs or ends the process is a line of the
/// report. Most of them run the plugin in a real `Kernel`, between two neighbours that resend, hold, answer and fail,
/// with a transport that answers as a script says and a clock that runs a hundred times faster. Between plugin and
/// kernel stands a `Wiretap`, which sees each call of the C table in both directions.
///
/// A check ends in one of five ways:
///
/// | status  | meaning                                                                                        |
/// |---------|------------------------------------------------------------------------------------------------|
/// | passed  | nothing was found                                                                              |
/// | warned  | legal, and yet likely a mistake: fails with `--strict`                                         |
/// | skipped | could not be tried, with the reason: a setting is missing, or no hook of the plugin ever waits |
/// | failed  | a rule was broken, or an exchange came to no end; the reason says which and where              |
/// | crashed | the process ended by a signal or by `exit`, with the hook and the exchange that was under way  |
///
/// What varies is drawn from a seed, which the report names; the same seed draws the same exchanges.
public struct PluginCheck: Sendable {
    /// The shared object, as the command line says it.
    public var path: String
    /// Settings that the plugin is created with, as text.
    public var settings: [String: String]
    public var seed: UInt64
    /// The checks to run, by name; nil for all.
    public var chosen: [String]?

    public init(path: String, settings: [String: String] = [:], seed: UInt64, chosen: [String]? = nil) {
        self.path = path
        self.settings = settings
        self.seed = seed
        self.chosen = chosen
    }

    /// The names of all checks and what each tries, in the order of the report.
    public static var catalog: [(name: String, purpose: String)] { Check.all.map { ($0.name, $0.purpose) } }

    /// Runs the checks, some at a time, and blocks until the last has ended.
    ///
    /// - Parameter arguments: What the `plugboard` command wants to be started with for one check; the check is done by
    ///   `perform` there.
    public func run(
        startingEach arguments: @escaping (_ check: String) -> [String]
    ) throws(PlugboardError) -> CheckReport {
        let wanted = Check.all.filter { chosen?.contains($0.name) ?? true }
        var queue = CheckQueue(path: path, arguments: arguments)
        var results: [CheckResult] = []
        // Nothing else can be said of what cannot be opened.
        if let first = wanted.first, first.name == Check.loading.name {
            results = try queue.run([first])
        }
        let rest = Array(wanted.dropFirst(results.count))
        if results.contains(where: { $0.status == .failed || $0.status == .crashed }) {
            results += rest.map { CheckResult($0.name, .skipped, "it cannot be loaded") }
        } else {
            results += try queue.run(rest)
        }
        return CheckReport(path: path, seed: seed, results: results)
    }

    /// Does one check in this process, tells the outcome to who started it, and ends the process.
    ///
    /// - Parameters:
    ///   - scratch: A folder that is this check's own.
    ///   - outlet: The descriptor that the outcome is written to.
    public func perform(_ name: String, scratch: String, outlet: Int32) async -> Never {
        Diary.open(outlet)
        guard let check = Check.all.first(where: { $0.name == name }) else {
            Diary.close(.failed, "there is no check \(name)")
        }
        Wiretap.marker = HookMarker(path: "\(scratch)/\(HookMarker.fileName)")
        let subject = Subject(path: path, settings: settings, seed: seed, scratch: scratch)
        do {
            Diary.close(.passed, try await check.run(subject))
        } catch let end as CheckEnd {
            Diary.close(end.status, end.reason)
        } catch {
            Diary.close(.failed, "\(error)")
        }
    }
}
