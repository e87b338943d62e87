// A download with its journal, and the plugin resume: URL FILE. Prints the seconds.
import Plugboard
import PlugboardDownloads

@main
struct Program {
    static func main() async throws {
        let words = CommandLine.arguments
        let kernel = try Kernel(plugins: [.resume])
        let clock = ContinuousClock()
        let time = try await clock.measure {
            try await kernel.download(words[1], to: words[2])
        }
        let (seconds, attoseconds) = time.components
        print(Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1000)
    }
}
