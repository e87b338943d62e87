import PlugboardKit
import PlugboardSystem
import Synchronization

/// The value of `Authorization` for the requests of a transfer.
enum CurlCredentials {
    /// Nil without credentials. Blocks: reads a file, or asks for a password.
    ///
    /// - Parameter inURL: The user and password of the URL, which `-u` replaces and which replace the file's.
    static func field(of group: CurlGroup, host: String, inURL: String?) throws(CommandFailure) -> String? {
        if let token = group.values["oauth2-bearer"] { return "Bearer \(token)" }
        var user = group.values["user"] ?? inURL
        if user == nil || user?.hasSuffix(":") == false && user?.contains(":") == false,
            let login = try Netrc.login(of: group, for: host, as: user), user == nil || user == login.user
        {
            user = "\(login.user):\(login.password)"
        }
        guard var user else { return nil }
        if group.values["user"] != nil, !user.contains(":") {
            user += ":" + (try SecretPrompt.ask("Password for \(Printable.text(user)): "))
        } else if !user.contains(":") {
            user += ":"
        }
        return "Basic \(Base64.encode(Array(user.utf8)))"
    }
}

/// The file `.netrc`, with the names and passwords of hosts.
private enum Netrc {
    struct Login {
        var user = ""
        var password = ""
    }

    static func login(
        of group: CurlGroup, for host: String, as user: String?
    ) throws(CommandFailure) -> Login? {
        let given = group.values["netrc-file"]
        guard group["netrc"] || group["netrc-optional"] || given != nil else { return nil }
        let home = environment("HOME") ?? ""
        let path = given ?? "\(home)/.netrc"
        guard access(path, R_OK) == 0 else {
            if !group["netrc-optional"], !group.isQuiet {
                StandardError.warn("\(path) cannot be read, which --netrc needs")
            }
            return nil
        }
        return login(in: try text(of: path), for: host, as: user)
    }

    /// The files that were read, so that several requests read them once.
    private static let texts = Mutex<[String: String]>([:])

    private static func text(of path: String) throws(CommandFailure) -> String {
        if let text = texts.withLock({ $0[path] }) { return text }
        let text = String(decoding: try FileContents.bytes(of: path), as: UTF8.self)
        texts.withLock { $0[path] = text }
        return text
    }

    /// The first entry of the host with this user, if one is given, or the default entry.
    private static func login(in text: String, for host: String, as user: String?) -> Login? {
        var words = words(of: text)[...]
        var login: Login?
        func isFound() -> Bool { login.map { user == nil || $0.user == user } ?? false }
        while let word = words.popFirst() {
            switch word {
            case "machine", "default":
                if isFound() { return login }
                let isWanted = word == "default" || words.popFirst()?.lowercased() == host.lowercased()
                login = isWanted ? Login(user: user ?? "") : nil
            case "login": if let name = words.popFirst(), login != nil { login?.user = name }
            case "password": if let password = words.popFirst(), login != nil { login?.password = password }
            case "account": words = words.dropFirst()
            default: break
            }
        }
        return isFound() ? login : nil
    }

    /// The words outside of comments; double quotes can be around one, with a backslash before a character inside.
    private static func words(of text: String) -> [String] {
        var words: [String] = []
        for line in text.split(whereSeparator: \.isNewline) {
            var rest = line.drop(while: \.isWhitespace)
            while let first = rest.first, first != "#" {
                if first == "\"" {
                    rest = rest.dropFirst()
                    words.append(quoted(&rest))
                } else {
                    let word = rest.prefix { !$0.isWhitespace }
                    words.append(String(word))
                    rest = rest[word.endIndex...]
                }
                rest = rest.drop(while: \.isWhitespace)
            }
        }
        return words
    }

    private static func quoted(_ rest: inout Substring) -> String {
        var word = ""
        while let character = rest.popFirst(), character != "\"" {
            word.append(character == "\\" ? rest.popFirst() ?? character : character)
        }
        return word
    }
}
