import ArgumentParser
import Plugboard

/// The request, all but its body: what all verbs that send one take.
struct RequestArguments: ParsableArguments {
    @Option(
        name: [.customShort("H"), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "A header field, 'Name: value'; 'Name:' removes one that is sent by default, 'Name;' sends an empty one.",
            valueName: "field"))
    var fields: [String] = []

    @OptionGroup(title: "Connection") var connection: ConnectionArguments
    @OptionGroup(title: "Plugins") var plugins: PluginArguments

    @Option(
        name: .customLong("attribute"), parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Says it to a plugin, such as redirect.limit=5.", valueName: "plugin.name=value"))
    var attributes: [String] = []

    func request(_ method: Method, _ url: String, _ content: BodyArguments.Content?) throws -> Request {
        var request = Request(method, url)
        var defaults: KeyValuePairs<FieldName, String> = [
            .userAgent: "plugboard/\(Program.version)", .accept: "*/*",
        ]
        if let content {
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

    /// The kernel lets attributes of unknown plugins pass; on a command line they are slips.
    func check(_ request: Request, _ kernel: Kernel) throws(CommandFailure) {
        let ids = kernel.plugins.map(\.id)
        for name in request.attributes.values.keys.sorted() where !ids.contains(where: { name.hasPrefix("\($0).") }) {
            throw PluginArguments.stranger("--attribute \(name)", name, among: ids)
        }
    }
}
