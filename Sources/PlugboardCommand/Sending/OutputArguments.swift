import ArgumentParser

/// The options of output.
struct OutputArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, help: ArgumentHelp("Writes the body to a file; - is standard output.", valueName: "file"))
    var output: String?
    @Flag(name: .shortAndLong, help: "Writes the response's head before its body; on a terminal without secrets.")
    var include = false
    @Flag(name: .shortAndLong, help: "Ends with status 22 and without the body if the HTTP status is 400 or more.")
    var fail = false
    @Flag(name: .shortAndLong, help: "Prints what is sent and what happens to standard error, without any secrets.")
    var verbose = false
    @Flag(help: "Prints how long each step took to standard error.")
    var timing = false
    @Flag(name: .shortAndLong, help: "Prints only errors: no progress and no log.")
    var silent = false
}
