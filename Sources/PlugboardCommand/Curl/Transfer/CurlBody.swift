import PlugboardCodecs
import PlugboardKit

/// The body of a request, which redirects and repetitions may send again.
enum CurlBody {
    case none
    /// The data of `-d` and the options like it.
    case data([UInt8])
    /// The parts of `-F`.
    case form(BodyArguments)
    /// The file of `-T`; `-` and `.` are standard input.
    case upload(String)

    /// The body for one request, and the type that it gives to the content.
    func content() throws -> (body: Body?, type: String?) {
        switch self {
        case .none: return (nil, nil)
        case .data(let bytes): return (.bytes(bytes), "application/x-www-form-urlencoded")
        case .form(let arguments):
            let content = try arguments.content(RequestItems(arguments))
            return (content?.body, content?.type)
        case .upload(let path):
            let input = InputArgument(path: path == "." ? "-" : path)
            return (try input.body(for: "--upload-file", isStreamed: true), nil)
        }
    }
}
