import Plugboard
import PlugboardMessages

extension ConnectionArguments {
    /// Adds an argument of `--connect-to`: `HOST:PORT:HOST:PORT`, of which each part can be empty.
    ///
    /// - Parameter resolved: The entries of `--resolve`.
    func addTarget(
        _ text: String, _ resolved: [String: String], to options: inout RequestOptions
    ) throws(CommandFailure) {
        let parts = ConnectionArguments.parts(text).map { $0.isEmpty ? "*" : $0 }
        guard parts.count == 4, ConnectToTable.isEntry("\(parts[0]):\(parts[1])", "\(parts[2]):\(parts[3])") else {
            throw CommandFailure(
                .usage, "--connect-to must be HOST:PORT:OTHER-HOST:OTHER-PORT, of which each part can be empty.")
        }
        let target = "\(parts[2]):\(parts[3])"
        options.connectTo?["\(parts[0]):\(parts[1])"] = resolved[target] ?? target
    }

    /// Adds an argument of `--resolve`: `HOST:PORT:ADDRESS`, with curl's `+` before it and further addresses after
    /// commas. `-HOST:PORT` removes an earlier one.
    func addResolution(_ text: String, to options: inout RequestOptions) throws(CommandFailure) {
        if text.hasPrefix("-") {
            options.connectTo?[String(text.dropFirst())] = nil
            return
        }
        let parts = ConnectionArguments.parts(text.hasPrefix("+") ? String(text.dropFirst()) : text)
        // An IPv6 address can stand without brackets, and an IPv4 address in brackets.
        var address = parts.dropFirst(2).joined(separator: ":").split(separator: ",").first.map(String.init) ?? ""
        if address.hasPrefix("["), address.hasSuffix("]") { address = String(address.dropFirst().dropLast()) }
        if address.contains(":") { address = "[\(address)]" }
        guard parts.count > 2, parts[1] != "*",
            ConnectToTable.isEntry("\(parts[0]):\(parts[1])", "\(address):\(parts[1])"), address != "*"
        else { throw CommandFailure(.usage, "--resolve must be HOST:PORT:ADDRESS.") }
        options.connectTo?["\(parts[0]):\(parts[1])"] = "\(address):\(parts[1])"
    }

    /// Splits at the colons outside of brackets, because IPv6 addresses contain colons.
    private static func parts(_ text: String) -> [String] {
        var parts = [""]
        var isInBrackets = false
        for character in text {
            if character == ":" && !isInBrackets {
                parts.append("")
                continue
            }
            if character == "[" { isInBrackets = true }
            if character == "]" { isInBrackets = false }
            parts[parts.count - 1].append(character)
        }
        return parts
    }
}
