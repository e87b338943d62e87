import ArgumentParser
import PlugboardKit

/// The body of a request: of one kind at most.
struct BodyArguments: ParsableArguments {
    @Option(
        name: .shortAndLong, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Form data (application/x-www-form-urlencoded), as it is; several are joined by &. @FILE is a file without its "
                + "line ends, @- standard input.", valueName: "data"))
    var data: [String] = []
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Any bytes (application/octet-stream), streamed: @FILE, - is standard input; or the text itself.",
            valueName: "data"))
    var dataBinary: String?
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "JSON, and asks for such an answer too; @FILE is a file, @- standard input.", valueName: "text"))
    var json: String?
    @Option(
        name: [.customShort("F"), .customLong("form")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("Part of multipart/form-data, name=value or name=@FILE.", valueName: "part"))
    var parts: [String] = []

    struct Content {
        let body: Body
        let type: String
        var accept = "*/*"
    }

    func validate() throws {
        let kinds = [!data.isEmpty, dataBinary != nil, json != nil, !parts.isEmpty]
        guard kinds.count(where: { $0 }) <= 1 else {
            throw ValidationError("A request has one body: give only one of -d, --data-binary, --json and --form.")
        }
    }

    func content() throws -> Content? {
        if !data.isEmpty {
            return Content(
                body: .bytes(try FormData.joined(data)), type: "application/x-www-form-urlencoded")
        }
        if let json {
            return Content(body: try text(json), type: "application/json", accept: "application/json")
        }
        if let dataBinary {
            let isStandardInput = dataBinary == "-" || dataBinary == "@-"
            return Content(
                body: isStandardInput ? Body(StandardInputSource()) : try text(dataBinary),
                type: "application/octet-stream")
        }
        if !parts.isEmpty {
            let form = try MultipartForm(parts)
            return Content(body: form.body, type: "multipart/form-data; boundary=\(form.boundary)")
        }
        return nil
    }

    private func text(_ text: String) throws -> Body {
        guard text.hasPrefix("@") else { return .text(text) }
        let path = String(text.dropFirst())
        return path == "-" ? Body(StandardInputSource()) : try FileBody.open(path)
    }
}

/// The body of a file that the command line names.
enum FileBody {
    static func open(_ path: String) throws(CommandFailure) -> Body {
        do throws(PlugboardError) {
            return try .file(path)
        } catch {
            // What is no regular file (a pipe, a device) cannot be measured, so it is read whole.
            return .bytes(try FileContents.bytes(of: path))
        }
    }
}
