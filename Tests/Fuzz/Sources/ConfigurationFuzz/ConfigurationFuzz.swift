// Feeds arbitrary bytes to the reader of configurations, and what it accepts to the resolver of plugins; checks what
// must hold whatever they are. Its modules are compiled first; the kernel's sources are compiled with it, for they are
// internal:
import CPlugboard
import Fuzzing
import PlugboardConfiguration
import PlugboardJSON
import PlugboardKit

@testable import PlugboardCore

@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    checkTime(UnsafeRawBufferPointer(start: start, count: count)) { bytes in
        let check = Configuration.check(bytes, folder: "/folder", sections: ["endpoints"])
        if let configuration = check.configuration { _ = ResolvedPlugins.check(configuration, catalog: catalog) }
    }
    let check = Configuration.check(bytes, folder: "/folder", sections: ["endpoints"])
    precondition((check.configuration == nil) == !check.errors.isEmpty, "neither a configuration nor an error")
    let isJSON = (try? JSONParser.parse(bytes, options: JSONParser.configuration)) != nil
    checkErrors(check.errors, bytes, areSyntax: !isJSON)
    guard let configuration = check.configuration else { return 0 }

    checkKernel(configuration.kernel)
    for origin in configuration.origins.keys {
        precondition(Origin(origin.description) == origin && Origin(url: origin.description) == origin)
    }
    checkPlugins(ResolvedPlugins.check(configuration, catalog: catalog), bytes)
    return 0
}

private func checkErrors(_ errors: [ConfigurationError], _ bytes: [UInt8], areSyntax: Bool) {
    let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
    precondition(errors.count <= 100)
    for error in errors {
        precondition((1...lines).contains(error.line ?? 0) && (error.column ?? 0) >= 1, "an error has no position")
        precondition(!areSyntax || error.path.isEmpty)
    }
    if !errors.isEmpty { precondition(!PlugboardError(errors).reason.isEmpty) }
}

private func checkKernel(_ settings: KernelSettings) {
    precondition((0...1_000_000).contains(settings.connections) && settings.attemptLimit >= 1)
    precondition(settings.tls.pins.allSatisfy { !$0.value.isEmpty && $0.key == $0.key.lowercased() })
    for path in [settings.dataDirectory, settings.tls.ca, settings.tls.key, settings.tls.certificate] {
        precondition(path?.hasPrefix("/") ?? true, "a path is still relative")
        precondition(path?.utf8.contains(0) != true)
    }
}

private func checkPlugins(_ check: ResolvedPlugins.Check, _ bytes: [UInt8]) {
    precondition((check.resolved == nil) == !check.errors.isEmpty)
    checkErrors(check.errors, bytes, areSyntax: false)
    guard let resolved = check.resolved else { return }
    let plugins = resolved.plugins
    precondition(Set(plugins.map(\.id)).count == plugins.count)
    let attributes = AttributeCheck(resolved)
    for plugin in plugins {
        precondition((0...999).contains(plugin.priority))
        precondition(plugin.settings.count == plugin.descriptor.settings.count)
        for option in plugin.descriptor.settings {
            guard let text = plugin.settings[option.name] else { preconditionFailure("a setting is missing") }
            precondition(text == option.fallback || option.error(in: text) == nil, "a setting does not fit its table")
        }
        precondition(attributes.error(in: ["\(plugin.id).enabled": "true"]) == nil)
        precondition(attributes.error(in: ["\(plugin.id).nonsense": "true"]) != nil)
    }
}

private let catalog = Catalog([Everything.descriptor, Other.descriptor])

/// Has a setting and an attribute of each type.
private struct Everything: Plugin {
    static let manifest = Manifest(
        id: "e", version: "1.0.0", priority: 500, hooks: [.request], before: ["o"],
        attributes: [
            AttributeKey<Int>("e", "i", "", in: -5...5).definition, AttributeKey<[String]>("e", "l", "").definition,
            AttributeKey<Duration>("e", "d", "").definition,
        ])

    enum Word: String, WordOption { case one, two }

    struct Settings: PluginSettings {
        @Setting("") var b = false
        @Setting("", in: -5...5) var i = 1
        @Setting("", in: "a"..."bbbb") var t = "aa"
        @Setting("") var w = Word.one
        @Setting("") var d = Duration.seconds(1)
        @Setting("") var s = ByteCount.bytes(1)
        @Setting("") var l = ["x"]
        @Setting("") var m = ["x": "y"]
        @Setting("") var o: Int? = nil
        init() {}
    }

    init(settings: Settings, host: PluginHost) throws {}
}

private struct Other: Plugin {
    static let manifest = Manifest(id: "o", version: "1.0.0", priority: 400, hooks: [.request])
    init(settings: NoSettings, host: PluginHost) throws {}
}
