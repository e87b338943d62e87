import PlugboardKit
import PlugboardRedirectOptions

/// Follows redirects (RFC 9110 §15.4): `RedirectPolicy` decides, and the plugin edits the request and sends it again.
///
/// The kernel drops secret fields when the request leaves its origin, and undoes the edits of plugins further in.
struct Redirect: Plugin {
    static let manifest = Manifest(
        id: "redirect", version: "1.0.0", documentation: "Follows redirects (RFC 9110 §15.4).", priority: 400,
        hooks: [.response],
        attributes: RedirectAttributes.definitions)

    typealias Settings = RedirectSettings

    private let settings: Settings
    private let host: PluginHost

    init(settings: Settings, host: PluginHost) throws {
        self.settings = settings
        self.host = host
    }

    func onResponse(_ exchange: borrowing Exchange) throws -> ResponseVerdict {
        guard let response = exchange.response, case let status = response.status,
            RedirectPolicy.statuses.contains(status), exchange[RedirectAttributes.keys.follow] != false
        else { return .next }
        let request = exchange.request
        let hops = exchange.state as? Hops ?? Hops()
        let situation = RedirectPolicy.Situation(
            status: status, method: request.method, url: request.url,
            reference: response.withValue(.location) { $0.flatMap { Reference(location: $0) } },
            followed: hops.count, canRepeatBody: exchange.canResend)
        // Not normalized, because the server may have signed the URL.
        let resolve = { URLParts.resolve($0, against: situation.url, normalizing: false) }
        switch policy(for: exchange).decision(for: situation, resolving: resolve) {
        case .pass: return .next
        case .fail(let error): return .fail(error)
        case .follow(let step):
            apply(step, to: request, of: exchange)
            hops.count += 1
            exchange.state = hops
            report(step, after: situation, hop: hops.count, in: exchange.id)
            return .resend()
        }
    }

    private func policy(for exchange: borrowing Exchange) -> RedirectPolicy {
        RedirectPolicy(
            limit: exchange[RedirectAttributes.keys.limit] ?? settings.limit,
            keepsMethod: exchange[RedirectAttributes.keys.keepMethod] ?? settings.keepMethod,
            allowsDowngrade: exchange[RedirectAttributes.keys.allowDowngrade] ?? settings.allowDowngrade)
    }

    private func apply(
        _ step: RedirectPolicy.Step, to request: borrowing Head, of exchange: borrowing Exchange
    ) {
        request.url = step.url
        if step.leavesOrigin { request[.host] = nil }
        guard step.dropsBody else { return }
        request.method = step.method
        exchange.replaceRequestBody(nil)
        for field in request.fields where RedirectPolicy.describesContent(field.name) {
            request[FieldName(field.name)] = nil
        }
    }

    private func report(
        _ step: RedirectPolicy.Step, after situation: RedirectPolicy.Situation, hop: Int, in exchange: UInt64
    ) {
        host.publish(
            "redirect.followed", exchange: exchange,
            details: Fields([
                "from": Printable.url(situation.url), "to": Printable.url(step.url), "status": "\(situation.status)",
                "hop": "\(hop)",
            ]))
    }

    /// The number of redirects that the exchange has followed. Used by its hooks only, which never overlap.
    private final class Hops {
        var count = 0
    }
}

/// The plugin's entry function, which the kernel calls whether the plugin is linked or loaded.
@c(redirect_LTX_plugboard_plugin)
public func redirectPlugin() -> UnsafePointer<plug_plugin_v1> { Redirect.descriptor }
