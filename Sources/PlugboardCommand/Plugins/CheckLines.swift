import PluginCheck

/// Writes the results of checks as they come, and on a terminal also the names of running checks.
final class CheckLines {
    private let output: ByteOutput
    private let width: Int
    private let count: Int
    private let showsRunning: Bool
    private var ended = 0
    /// Whether the file could be loaded. Otherwise nothing else can be checked, and the other checks have no lines.
    private(set) var isLoaded = true
    /// The first error of writing.
    private(set) var failure: CommandFailure?

    /// - Parameter chosen: The names of the checks to run; empty for all.
    init(_ output: ByteOutput, of chosen: [String]) {
        let names = PluginCheck.catalog.map(\.name).filter { chosen.isEmpty || chosen.contains($0) }
        self.output = output
        width = names.map(\.count).max() ?? 0
        count = names.count
        showsRunning = output.isTerminal && StandardError.canBeDrawnOn
    }

    func show(_ progress: CheckProgress) {
        guard failure == nil else { return }
        clear()
        switch progress {
        case .running(let names):
            guard showsRunning else { return }
            StandardError.draw("\(ended) of \(count) done; now \(names.joined(separator: ", "))")
        case .ended(let result):
            ended += 1
            if !isLoaded, result.status == .untried { return }
            if result.check == "load", [.failed, .crashed].contains(result.status) { isLoaded = false }
            do throws(CommandFailure) {
                try output.write(result.line(width: width) + "\n")
            } catch {
                failure = error
            }
        }
    }

    private func clear() {
        if showsRunning { StandardError.draw("\r\u{1B}[K") }
    }
}
