import ArgumentParser

/// The request items after the URL, and the options that say what body they make.
struct ItemArguments: ParsableArguments {
    /// What body the data of the items makes.
    enum Form {
        /// JSON, or a form in parts if there are files.
        case any
        /// A form, in parts if there are files.
        case form
        case multipart
    }

    @Argument(
        help: ArgumentHelp(
            "Further URLs, which begin with http:// or https://, and request items: name=text, name:=JSON (the body, in JSON), name==text (the query), Name:value (a header "
                + "field), name@FILE (a file of a form). Each can take its value from a file, as in name=@FILE.",
            valueName: "item"))
    var words: [String] = []
    @Flag(help: "Sends the data of items as a form instead of JSON.") var asForm = false
    @Flag(help: "Sends the data of items as multipart/form-data, as is done where there are files.") var multipart =
        false

    /// The further URLs.
    var urls: [String] { words.filter(ItemArguments.isURL) }
    var items: [String] { words.filter { !ItemArguments.isURL($0) } }

    private static func isURL(_ word: String) -> Bool {
        let start = word.prefix(8).lowercased()
        return start.hasPrefix("http://") || start == "https://"
    }

    @Flag(
        help: "Takes no body from standard input.")
    var ignoreStdin = false

    var form: Form { multipart ? .multipart : asForm ? .form : .any }

    func validate() throws {
        if asForm || multipart, items.isEmpty {
            throw ValidationError("--as-form and --multipart are for request items; -d and --form need neither.")
        }
    }
}
