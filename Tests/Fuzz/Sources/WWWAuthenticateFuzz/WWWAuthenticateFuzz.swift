// Feeds arbitrary bytes to the readers of challenges and of responses of token endpoints, and checks what must hold.
import Fuzzing
import PlugboardKit

@testable import PlugboardAuthentication

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeBufferPointer(start: start, count: count))
    checkTime(UnsafeRawBufferPointer(start: start, count: count)) { bytes in
        _ = Challenge.parse([String(decoding: bytes, as: UTF8.self)])
        _ = try? TokenResponse(status: 200, body: Bytes([UInt8](bytes)), of: "https://a.example")
    }
    let challenges = Challenge.parse([String(decoding: bytes, as: UTF8.self)])
    for challenge in challenges {
        precondition(isWord(challenge.scheme), "a scheme that is not a word")
        precondition(challenge.token68 == nil || challenge.parameters.isEmpty, "both a token68 and parameters")
        precondition(challenge.parameters.allSatisfy { isWord($0.name) })
    }
    precondition(Challenge.parse([written(challenges)]) == challenges, "what was written does not read back")

    for status in [200, 400] {
        do throws(PlugboardError) {
            let response = try TokenResponse(status: status, body: Bytes(bytes), of: "https://a.example")
            precondition(status == 200 && !response.token.isEmpty && response.refreshToken != "")
            precondition((.zero...Duration.seconds(10 * 365 * 86_400)).contains(response.lifetime ?? .zero))
        } catch {
            precondition(error.code == .authenticationRefresh)
            precondition(error.reason.utf8.count < 256, "an error that says too much")
        }
    }
    return 0
}

private func isWord(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
}

/// All in one field, each value between quotes.
private func written(_ challenges: [Challenge]) -> String {
    challenges.map { challenge in
        let parameters = challenge.parameters.map { parameter in
            let value = parameter.value.unicodeScalars.map { "\"\\".unicodeScalars.contains($0) ? "\\\($0)" : "\($0)" }
            return "\(parameter.name)=\"\(value.joined())\""
        }
        return ([challenge.scheme] + (challenge.token68.map { [$0] } ?? [parameters.joined(separator: ", ")]))
            .filter { !$0.isEmpty }.joined(separator: " ")
    }.joined(separator: ", ")
}
