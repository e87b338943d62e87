import PlugboardKit
import PlugboardRanges
import PlugboardResumeOptions

/// Mends response bodies that break: requests the missing bytes, and continues the body with them, as long as the
/// server confirms the strong validator of the first response (RFC 9110 §13.1.5, §14, §15.3.7).
///
/// A response without a validator, or to another method than GET, is not wrapped.
final class Resume: Plugin {
    static let manifest = Manifest(
        id: "resume", version: "1.0.0", documentation: "Mends response bodies that break.", priority: 700,
        hooks: [.response], attributes: ResumeAttributes.definitions)

    typealias Settings = ResumeSettings

    let settings: ResumeSettings
    let host: PluginHost
    let mended: PluginHost.Counter
    let failed: PluginHost.Counter

    init(settings: ResumeSettings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
        mended = host.counter("mended")
        failed = host.counter("failed")
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response, response.status == 200 || response.status == 206,
            response.contains(.etag) || response.contains(.lastModified), exchange.request.method == .get
        else { return .next }
        let limits = MendingLimits(
            attempts: exchange[ResumeAttributes.keys.attempts] ?? settings.attempts,
            repeated: exchange[ResumeAttributes.keys.repeatLimit] ?? settings.repeatLimit)
        guard limits.attempts > 0 else { return .next }
        let fields = response.fields
        let status = response.status
        let request = exchange.request
        let template = MendingRequest(
            url: request.url, fields: request.fields, attributes: exchange.attributes, exchange: exchange.id)
        exchange.wrapResponseBody { [self] body in
            guard let mendable = MendableBody(status: status, fields: fields, length: body.length) else { return body }
            return MendingSource(body, mendable, template, limits, self)
        }
        return .next
    }
}

/// The limits for mending one body.
struct MendingLimits: Sendable {
    /// The requests that may fail in a row without a new byte.
    let attempts: Int
    /// The bytes that may be received once more.
    let repeated: ByteCount
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(resume_LTX_plugboard_plugin)
public func resumePlugin() -> UnsafePointer<plug_plugin_v1> { Resume.descriptor }
