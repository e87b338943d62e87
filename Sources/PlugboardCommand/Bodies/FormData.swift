/// `-d`: pieces of application/x-www-form-urlencoded, which the caller has encoded.
enum FormData {
    /// The pieces with `&` between them; a file gives its bytes without line ends and NUL, as curl does.
    static func joined(_ pieces: [String]) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        for (index, piece) in pieces.enumerated() {
            if index > 0 { bytes.append(UInt8(ascii: "&")) }
            if piece.hasPrefix("@") {
                bytes += try FileContents.bytes(of: String(piece.dropFirst())).filter {
                    ![0x00, 0x0A, 0x0D].contains($0)
                }
            } else {
                bytes += piece.utf8
            }
        }
        return bytes
    }
}
