import ArgumentParser

/// What is written, and where.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Writes the body to a file; - is standard output.", valueName: "file"))
    var output: String?
    @Flag(name: .shortAndLong, help: "Writes the head of the answer before its body; on a terminal without secrets.")
    var include = false
    @Flag(name: .shortAndLong, help: "Ends with status 22 and without the body if the HTTP status is 400 or more.")
    var fail = false
    @Flag(name: .shortAndLong, help: "Says on standard error what happens, without secrets.")
    var verbose = false
    @Flag(help: "Says on standard error how long each step took.")
    var timing = false
    @Flag(name: .shortAndLong, help: "Says nothing on standard error but errors: no progress, no log.")
    var silent = false
}
