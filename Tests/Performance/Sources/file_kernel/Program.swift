// A download with its journal, and the plugin resume: URL FILE [SEGMENTS]. Prints the seconds.
import Plugboard
import PlugboardDownloads

@main
struct Program {
    static func main() async throws {
        let words = CommandLine.arguments
        let kernel = try Kernel(plugins: [.resume])
        var download = Download(Request(.get, words[1]), to: words[2])
        download.segments = words.count > 3 ? Int(words[3]) ?? 1 : 1
        let time = try await ContinuousClock().measure { try await download.run(with: kernel) }
        let (seconds, attoseconds) = time.components
        print(Double(seconds) + Double(attoseconds / 1_000_000_000_000_000) / 1000)
    }
}
