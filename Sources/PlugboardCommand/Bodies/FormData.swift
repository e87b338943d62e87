/// The body of `-d`: application/x-www-form-urlencoded, in parts that the caller has encoded.
enum FormData {
    /// The parts with `&` between them. Line ends and NUL are removed from files, as curl does.
    static func joined(_ pieces: [String]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            let argument = InputArgument(piece)
            let content = try argument.bytes(for: "--data", advice: "--data-binary sends any size.")
            if case .text = argument {
                bytes += content
            } else {
                bytes += content.filter { ![0x00, 0x0A, 0x0D].contains($0) }
            }
        }
        return bytes
    }
}
