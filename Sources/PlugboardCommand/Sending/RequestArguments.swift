import ArgumentParser
import PlugboardKit

/// What all verbs that send a request take.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field, 'Name: value'; 'Name:' removes one that is sent by default, 'Name;' sends an empty one.",
            valueName: "field"))
    var fields: [String] = []

    @OptionGroup(title: "Body") var body: BodyArguments
    @OptionGroup(title: "Connection") var connection: ConnectionArguments
    @OptionGroup(title: "Output") var output: OutputArguments
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    @Option(
        name: .customLong("attribute"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "What the request says to a plugin, such as redirect.limit=5.", valueName: "plugin.name=value"))
    var attributes: [String] = []

    func request(_ method: Method, _ url: String) throws -> Request {
        var request = Request(method, url)
        var defaults: KeyValuePairs<FieldName, String> = [
            .userAgent: "plugboard/\(Program.version)", .accept: "*/*",
        ]
        if let content = try body.content() {
            request.body = content.body
            defaults = [
                .userAgent: "plugboard/\(Program.version)", .accept: content.accept, .contentType: content.type,
            ]
        }
        request.fields = FieldArgument.fields(try fields.map { try FieldArgument($0) }, over: defaults)
        request.options = try connection.options()
        for attribute in attributes {
            let (name, value) = try PluginArguments.split(attribute, option: "--attribute")
            request.attributes[name] = value
        }
        return request
    }
}
