import PlugboardJSON
import PlugboardKit

/// The checks of `plugboard plugins check`: whether a plugin follows the rules of `plugboard.h`, and how it reacts when
/// servers, bodies, callers and other plugins misbehave.
///
///     plugboard plugins check ./libacme_sign.so
///     plugboard plugins check ./libacme_sign.so --strict --set key=0123 --seed 42
///
/// Each check runs in a separate process, so a plugin that crashes, hangs or ends the process becomes a line of the
/// report. Most checks run the plugin in a real `Kernel`, between two neighbours that resend, hold, respond and fail,
/// with a transport that responds as planned and a clock that runs up to a hundred times faster. A `Wiretap` between
/// plugin and kernel sees each call of the C table in both directions.
///
/// A check ends in one of six ways:
///
/// | status  | meaning                                                                                        |
/// |---------|------------------------------------------------------------------------------------------------|
/// | passed  | nothing was found                                                                              |
/// | warned  | allowed, but probably a mistake: fails with `--strict`                                         |
/// | skipped | does not concern this plugin, with the reason, such as: no hook of it waits                    |
/// | untried | could not be made, with the reason, such as a setting that is missing: fails with `--strict`    |
/// | failed  | a rule was broken, or an exchange did not end; the reason says which and where                 |
/// | crashed | the process ended by a signal or by `exit`, with the hook and the exchange that was under way  |
///
/// The random parts come from a seed, which the report names; the same seed gives the same exchanges.
package struct PluginCheck: Sendable {
    /// The path of the shared object.
    package var path: String
    /// Settings that the plugin is created with, as text.
    package var settings: [String: String]
    /// Settings of a configuration; `settings` replace those of the same name.
    package var configured = JSONObject()
    /// An additional response for the exchanges of most checks.
    package var sample: SampleResponse?
    /// An additional request for the exchanges of most checks.
    package var request: SampleRequest?
    /// Arguments of commands, as JSON objects, by the command's name. Each command is called with and without them.
    package var commands: [String: String] = [:]
    /// How many times faster than real time the clock of the checks runs, 1 to 100. Lower it for a plugin whose own
    /// threads need real time before its deadlines; checks that wait then take longer.
    package var clockSpeed = 100
    /// The files of plugins that provide services to the one under check.
    package var companions: [String] = []
    /// The seed of the random exchanges.
    package var seed: UInt64
    /// The checks to run, by name; nil for all.
    package var chosen: [String]?

    /// Creates checks of the file at `path`; `chosen` are the names of checks, nil for all.
    package init(path: String, settings: [String: String] = [:], seed: UInt64, chosen: [String]? = nil) {
        self.path = path
        self.settings = settings
        self.seed = seed
        self.chosen = chosen
    }

    /// The names of all checks and what each tries, in the order of the report.
    package static var catalog: [(name: String, purpose: String)] { Check.all.map { ($0.name, $0.purpose) } }

    /// Runs the checks, several at a time, and blocks until the last has ended.
    ///
    /// A file that cannot be loaded is a failure, whichever checks were chosen.
    ///
    /// - Parameters:
    ///   - arguments: The arguments with which this program runs one check, by calling `perform`.
    ///   - tell: Called with the names of the running checks whenever they change, and with each result, in the order
    ///     of the report.
    package func run(
        startingEach arguments: @escaping (_ check: String) -> [String],
        telling tell: @escaping (CheckProgress) -> Void = { _ in }
    ) throws(PlugboardError) -> CheckReport {
        let wanted = Check.all.filter { isChosen($0) }.map { $0.slower(by: slowness) }
        let queue = CheckQueue(path: path, arguments: arguments)
        // If the file cannot be opened, no other check runs.
        var results = try queue.run([.loading]) { if case .running = $0 { tell($0) } }
        let isLoaded = !results.contains(where: \.isFailure)
        if isLoaded && !isChosen(.loading) { results = [] }
        for result in results { tell(.ended(result)) }
        let rest = wanted.filter { $0.name != Check.loading.name }
        if isLoaded {
            // Usually one check reports what the loader refuses; the others then count as untried.
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

    /// The factor by which checks get more real time than with the usual clock, limited to 10.
    private var slowness: Int { min(max(100 / max(clockSpeed, 1), 1), 10) }

    private func isChosen(_ check: Check) -> Bool { chosen?.contains(check.name) ?? true }

    /// Runs one check in this process, writes the outcome for the parent process, and ends this process.
    ///
    /// - Parameters:
    ///   - scratch: The folder of this check.
    ///   - outlet: The descriptor that the outcome is written to.
    package func perform(_ name: String, scratch: String, outlet: Int32) async -> Never {
        Diary.open(outlet, patience: .seconds(10) * slowness)
        guard let check = Check.all.first(where: { $0.name == name }) else {
            Diary.close(.failed, "there is no check \(name)")
        }
        Wiretap.marker = HookMarker(path: "\(scratch)/\(HookMarker.fileName)")
        let subject = Subject(
            path: path, settings: settings, configured: configured, sample: sample, request: request,
            commands: commands, companions: companions, clockSpeed: clockSpeed, seed: seed, scratch: scratch)
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
    /// The result, as a failure if the check tried nothing because the loader refuses the file.
    fileprivate var refusing: CheckResult {
        status == .untried && reason.hasPrefix(Subject.refusal) ? CheckResult(check, .failed, reason) : self
    }
}
