import PlugboardDecodeOptions
import PlugboardKit

/// Requests compressed responses, and decodes them while they are read (RFC 9110 §8.4).
///
/// It decodes only what it requested: a program that sets `Accept-Encoding` gets the response unchanged. Plugins
/// further in, such as a cache, see the coded body.
struct Decode: Plugin {
    static let manifest = Manifest(
        id: "decode", version: "1.0.0", documentation: "Requests compressed responses and decodes them.", priority: 350,
        hooks: [.request, .response],
        attributes: DecodeAttributes.definitions)

    typealias Settings = DecodeSettings

    private let settings: Settings
    private let asked: String

    init(settings: Settings, host: PluginHost) throws {
        let unknown = settings.codings.filter { ContentCoding($0) == nil }
        guard unknown.isEmpty else {
            throw PlugboardError(
                .configuration,
                "decode supports gzip, deflate, br and zstd, but not \(unknown.joined(separator: ", ")).")
        }
        self.settings = settings
        asked = settings.codings.joined(separator: ", ")
    }

    func onRequest(_ exchange: borrowing Exchange) throws -> RequestVerdict {
        let request = exchange.request
        guard
            DecodePolicy.asks(
                method: request.method, hasAcceptEncoding: request.contains(.acceptEncoding),
                hasRange: request.contains(.range)), !asked.isEmpty
        else { return .next }
        request[.acceptEncoding] = asked
        exchange.turnState = Asked.byPlugin
        return .next
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response, response.contains(.contentEncoding),
            exchange.turnState is Asked || exchange[DecodeAttributes.keys.always] ?? settings.always
        else { return .next }
        let codings: [ContentCoding]?
        do throws(PlugboardError) {
            codings = try DecodePolicy.codings(
                status: response.status, method: exchange.request.method,
                contentEncoding: response.fields.values(.contentEncoding))
        } catch {
            return .fail(error)
        }
        guard let codings else { return .next }
        let budget = DecodingBudget(
            limit: exchange[DecodeAttributes.keys.limit] ?? settings.limit, ratio: settings.ratio)
        exchange.wrapResponseBody { body in
            DecodingSource.around(body, codings: codings, budget: budget)
        }
        response[.contentEncoding] = nil
        response[.contentLength] = nil
        return .next
    }

    /// Marks the turns of requests whose `Accept-Encoding` is this plugin's.
    private final class Asked: Sendable {
        static let byPlugin = Asked()
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(decode_LTX_plugboard_plugin)
public func decodePlugin() -> UnsafePointer<plug_plugin_v1> { Decode.descriptor }
