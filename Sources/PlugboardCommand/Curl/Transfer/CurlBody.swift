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

    /// The data of all options in their order, with `&` between them. Blocks.
    static func joined(_ data: [(kind: CurlGroup.DataKind, value: String)]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, (kind, value)) in data.enumerated() {
            if index > 0, kind != .json { bytes.append(UInt8(ascii: "&")) }
            switch kind {
            case .raw: bytes += value.utf8
            case .encoded: bytes += try FormData.encoded(value, for: "--data-urlencode")
            case .data, .ascii, .binary, .json:
                guard value.hasPrefix("@") else {
                    bytes += value.utf8
                    continue
                }
                let content = try InputArgument(value).bytes(for: "--\(kind.rawValue)")
                let isText = kind == .data || kind == .ascii
                bytes += isText ? content.filter { ![0x00, 0x0A, 0x0D].contains($0) } : content
            }
        }
        return bytes
    }

    /// The body for one request, and the type that it gives to the content.
    func content() throws -> (body: Body?, type: String?) {
        switch self {
        case .none: return (nil, nil)
        case .data(let bytes): return (.bytes(bytes), "application/x-www-form-urlencoded")
        case .form(let arguments):
            let content = try arguments.content(RequestItems(arguments.items))
            return (content?.body, content?.type)
        case .upload(let path):
            return (try InputArgument(path: path == "." ? "-" : path).body(for: "--upload-file"), nil)
        }
    }
}
