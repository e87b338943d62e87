import ArgumentParser
import PlugboardKit

/// The options that say which parts of request and response are printed, after HTTPie, and those that print the request
/// and send nothing.
struct PrintArguments: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "What is written: H and B are the request's head and body, h and b the response's; without it b. The "
                + "request is that of the last attempt, without the values of secret fields.", valueName: "HBhb"))
    var print: String?
    @Option(
        help: ArgumentHelp(
            "How JSON is written: all (format and colors), format, colors or none; without it, all on a terminal.",
            valueName: "form"))
    var pretty: String?
    @Flag(help: "Prints the request and does not send it.") var offline = false
    @Flag(help: "Prints the request as a command line of curl and does not send it.") var printCurl = false
    @Option(
        help: ArgumentHelp(
            "Prints the request as a definition of this name for plugboard call and does not send it.",
            valueName: "name")
    )
    var printDefinition: String?

    /// A part of request or response.
    enum Part: Character, CaseIterable {
        case requestHead = "H"
        case requestBody = "B"
        case responseHead = "h"
        case responseBody = "b"
    }

    func validate() throws {
        if let print, print.contains(where: { Part(rawValue: $0) == nil }) {
            throw ValidationError(
                "--print must be letters of HBhb: H and B are the request's head and body, h and b the response's.")
        }
        if let pretty, !["all", "format", "colors", "none"].contains(pretty) {
            throw ValidationError("--pretty must be all, format, colors or none.")
        }
        guard [offline, printCurl, printDefinition != nil].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give only one of --offline, --print-curl and --print-definition.")
        }
    }

    /// The parts of `--print`; nil without it.
    var parts: Set<Part>? { print.map { Set($0.compactMap(Part.init)) } }

    /// Whether the request is printed for other programs.
    var isPrinted: Bool { printCurl || printDefinition != nil }

    /// Whether nothing is sent.
    var isDry: Bool { offline || isPrinted }

    /// Whether the request itself is printed.
    var showsRequest: Bool { offline || !(parts ?? []).isDisjoint(with: [.requestHead, .requestBody]) }

    /// The layout of JSON; nil without `--pretty`.
    var layout: JSONLayout? {
        pretty.map { JSONLayout(indents: ["all", "format"].contains($0), colours: ["all", "colors"].contains($0)) }
    }
}
