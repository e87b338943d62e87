import JSON
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
/// A check ends in one of six ways:
///
/// | status  | meaning                                                                                        |
/// |---------|------------------------------------------------------------------------------------------------|
/// | passed  | nothing was found                                                                              |
/// | warned  | legal, and yet likely a mistake: fails with `--strict`                                         |
/// | skipped | does not concern this plugin, with the reason: no hook of it ever waits                      |
/// | untried | could not be made, with the reason, such as a setting that is missing: fails with `--strict`    |
/// | failed  | a rule was broken, or an exchange came to no end; the reason says which and where              |
/// | crashed | the process ended by a signal or by `exit`, with the hook and the exchange that was under way  |
///
/// What varies is drawn from a seed, which the report names; the same seed draws the same exchanges.
public struct PluginCheck: Sendable {
    /// The shared object, as the command line says it.
    public var path: String
    /// Settings that the plugin is created with, as text.
    public var settings: [String: String]
    /// Settings of a configuration; `settings` replace those of the same name.
    public var configured = JSONObject()
    /// A response that exchanges of most checks get beside those of the checks' own.
    public var sample: SampleResponse?
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
    /// A file that cannot be loaded is a failure whatever was chosen: nothing was tried.
    /// - Parameters:
    ///   - arguments: What the `plugboard` command wants to be started with for one check; the check is done by
    ///     `perform` there.
    ///   - tell: Hears which checks run whenever that changes, and of each result, in the order of the report, as soon
    ///     as those before it are there.
    public func run(
        startingEach arguments: @escaping (_ check: String) -> [String],
        telling tell: @escaping (CheckProgress) -> Void = { _ in }
    ) throws(PlugboardError) -> CheckReport {
        let wanted = Check.all.filter { isChosen($0) }
        let queue = CheckQueue(path: path, arguments: arguments)
        // Nothing else can be said of what cannot be opened.
        var results = try queue.run([.loading]) { if case .running = $0 { tell($0) } }
        let isLoaded = !results.contains(where: \.isFailure)
        if isLoaded && !isChosen(.loading) { results = [] }
        for result in results { tell(.ended(result)) }
        let rest = wanted.filter { $0.name != Check.loading.name }
        if isLoaded {
            // Mostly one of them says what is wrong with it, and no other needs to.
            results += try queue.run(rest, chosen == nil ? tell : { if case .running = $0 { tell($0) } })
            if chosen != nil {
                if !results.contains(where: \.isFailure) { results = results.map(\.refusing) }
                for result in results.suffix(rest.count) { tell(.ended(result)) }
            }
        } else {
            results += rest.map { CheckResult($0.name, .untried, "it cannot be loaded") }
            for result in results.dropFirst() { tell(.ended(result)) }
        }
        return CheckReport(path: path, seed: seed, results: results)
    }

    private func isChosen(_ check: Check) -> Bool { chosen?.contains(check.name) ?? true }

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
        let subject = Subject(
            path: path, settings: settings, configured: configured, sample: sample, seed: seed, scratch: scratch)
        do {
            Diary.close(.passed, try await check.run(subject))
        } catch let end as CheckEnd {
            Diary.close(end.status, end.reason)
        } catch {
            Diary.close(.failed, "\(error)")
        }
    }
}

extension CheckResult {
    /// The same, as a failure if the check tried nothing because the loader refuses the file.
    fileprivate var refusing: CheckResult {
        status == .untried && reason.hasPrefix(Subject.refusal) ? CheckResult(check, .failed, reason) : self
    }
}
