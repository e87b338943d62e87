import InspectPageDocuments
import PlugboardFieldValues
import PlugboardMessages

/// The page on which a browser shows recorded exchanges, in one document without outside resources.
///
/// Its files are in the folder Documents. They are put together with a content security policy that allows this script
/// and this style by their hashes, and nothing else: what servers have sent is shown as text, and could not run either.
public enum InspectPage {
    /// The page with its data, as a file that can be sent.
    ///
    /// - Parameter har: A document of HAR 1.2 in UTF-8.
    public static func report(_ har: [UInt8]) -> [UInt8] {
        var data: [UInt8] = []
        data.reserveCapacity(har.count + har.count / 16)
        // In JSON, `<` stands in strings only. With it, a string could end the element that holds the data.
        for byte in har {
            if byte == UInt8(ascii: "<") { data += #"\u003c"#.utf8 } else { data.append(byte) }
        }
        return page(data, policy(connections: "'none'"))
    }

    /// The page that asks the server that it comes from for its data.
    ///
    /// - Parameter sendsAgain: Whether it offers to send requests again.
    public static func live(sendsAgain: Bool) -> [UInt8] {
        page(Array("{\"sendsAgain\": \(sendsAgain)}".utf8), livePolicy)
    }

    /// The value of Content-Security-Policy for the response with the page.
    public static let livePolicy = policy(connections: "'self'")

    private static let style = bytes(inspect_page_style())
    private static let script = bytes(inspect_page_script())

    private static func policy(connections: String) -> String {
        "default-src 'none'; script-src \(hash(script)); style-src \(hash(style)); img-src data: blob:; "
            + "connect-src \(connections); base-uri 'none'; form-action 'none'"
    }

    /// A source of the policy (CSP 3 §2.3.1).
    private static func hash(_ text: [UInt8]) -> String {
        let digits = Array(text.withUnsafeBytes { Bytes.sha256(of: $0) }.utf8)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { place in
            UInt8(String(decoding: digits[place...place + 1], as: UTF8.self), radix: 16) ?? 0
        }
        return "'sha256-\(Base64.encode(bytes))'"
    }

    /// Puts the parts in the places of page.html, each of which is a line `{{NAME}}`.
    private static func page(_ data: [UInt8], _ policy: String) -> [UInt8] {
        let parts = ["POLICY": Array(policy.utf8), "STYLE": style, "SCRIPT": script, "DATA": data]
        var page: [UInt8] = []
        var rest = bytes(inspect_page_html())[...]
        while let start = rest.firstRange(of: "{{".utf8), let end = rest[start.upperBound...].firstRange(of: "}}".utf8)
        {
            page += rest[..<start.lowerBound]
            page += parts[String(decoding: rest[start.upperBound..<end.lowerBound], as: UTF8.self)] ?? []
            rest = rest[end.upperBound...]
        }
        return page + rest
    }

    private static func bytes(_ text: UnsafePointer<CChar>) -> [UInt8] { Array(String(cString: text).utf8) }
}
