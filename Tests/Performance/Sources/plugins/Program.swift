// What the bundled plugins cost and gain, as rows of a table: µs of time and of CPU for each exchange.
//
//     plugins NGINX FILES FOLDER [--quick] [--queue | --watchers | --profile WHAT COUNT | --watch PLUGIN COUNT]
//
// NGINX is the server's URL, FILES the folder that it serves, FOLDER an empty one for what plugins remember.
import Dispatch
@preconcurrency import Glibc
import Plugboard

@main struct Program {
    // Not asynchronous: valgrind crashes when the main thread ends before the program.
    static func main() throws {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            try await run()
            end.signal()
        }
        end.wait()
    }

    private static func run() async throws {
        let words = CommandLine.arguments
        guard words.count >= 4 else {
            fputs("usage: plugins NGINX FILES FOLDER [--quick]\n", stderr)
            exit(2)
        }
        let isQuick = words.contains("--quick")
        if words.contains("--queue") {
            print("| | µs | CPU µs | |\n|---|---:|---:|---|")
            return try await measureQueue(folder: words[3], isQuick ? 20_000 : 200_000)
        }
        if words.contains("--watchers") {
            return try await measureWatchers(folder: words[3], isQuick ? 20_000 : 100_000)
        }
        if let mode = words.firstIndex(of: "--watch"), mode + 2 < words.count {
            return try await profileWatcher(words[mode + 1], folder: words[3], Int(words[mode + 2]) ?? 1000)
        }
        if let mode = words.firstIndex(of: "--profile"), mode + 2 < words.count {
            return try await profileCache(
                words[mode + 1], Int(words[mode + 2]) ?? 1000, nginx: words[1], folder: words[3])
        }
        let count = isQuick ? 2000 : 10_000
        print("| | µs | CPU µs | |\n|---|---:|---:|---|")
        try await measureCache(nginx: words[1], files: words[2], folder: words[3], count)
        try await measureLargeStore(folder: words[3], isQuick ? 10_000 : 100_000)
        try await measureIdlePlugins(folder: words[3], isQuick ? 20_000 : 200_000)
        try await measureQueue(folder: words[3], isQuick ? 20_000 : 200_000)
        try await measureWatchers(folder: words[3], isQuick ? 20_000 : 100_000)
    }
}
