import PlugboardKit

/// The body of a transfer: redirects and repetitions can make several requests with it.
enum CurlBody {
    case none
    /// The data of `-d` and the options like it.
    case data([UInt8])
    /// The parts of `-F`, of which each request gets a copy.
    case form(BodyArguments.Content)
    /// The file of `-T`; `-` and `.` are standard input.
    case upload(String)

    /// The body for one request, and the type that it gives to the content.
    func content() throws -> (body: Body?, type: String?) {
        switch self {
        case .none: return (nil, nil)
        case .data(let bytes): return (.bytes(bytes), "application/x-www-form-urlencoded")
        case .form(let content):
            let copy = content.copy
            return (copy.body, copy.type)
        case .upload(let path):
            let input = InputArgument(path: path == "." ? "-" : path)
            return (try input.body(for: "--upload-file", isStreamed: true), nil)
        }
    }
}
