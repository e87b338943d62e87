import Foundation
import PlugboardMessages

/// Verifies the bytes that a server of uploads receives against the digests of the request.
struct DigestCheck {
    /// The names of the fields whose digests were correct.
    private(set) var verified: [String] = []

    /// The status that refuses bytes with a wrong digest: 460 of tus, or 400.
    ///
    /// - Parameters:
    ///   - whole: All bytes of the upload, if they are complete.
    ///   - announced: `Repr-Digest` of the upload.
    mutating func status(
        _ request: ReceivedRequest, _ content: [UInt8], of whole: [UInt8]?, announced: String?
    ) -> Int? {
        let digest = DigestCheck.digest(of: content)
        if !isRight("Upload-Checksum", request["Upload-Checksum"], "sha256 \(digest)") { return 460 }
        if !isRight("Content-Digest", request["Content-Digest"], "sha-256=:\(digest):") { return 400 }
        guard let whole else { return nil }
        return isRight("Repr-Digest", announced, "sha-256=:\(DigestCheck.digest(of: whole)):") ? nil : 400
    }

    private mutating func isRight(_ name: String, _ value: String?, _ expected: String) -> Bool {
        if value == expected { verified.append(name) }
        return value == nil || value == expected
    }

    /// SHA-256 in base 64.
    private static func digest(of bytes: [UInt8]) -> String {
        let digits = Array(Bytes(bytes).sha256)
        let digest = stride(from: 0, to: digits.count, by: 2).compactMap { index in
            UInt8(String(digits[index...index + 1]), radix: 16)
        }
        return Data(digest).base64EncodedString()
    }
}
