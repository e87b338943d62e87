import CPlugboard
import PlugboardCore

/// The plugin's descriptor.
extension Check {
    static let descriptor = Check("descriptor", "id, version and order are well formed") { subject in
        let raw = try subject.rawDescriptor()
        if let end = CheckEnd.failed(DescriptorRules.faults(in: raw)) { throw end }
        if raw.pointee.documentation.count == 0 {
            throw CheckEnd.warned("it has no documentation")
        }
        return ""
    }

    static let options = Check("options", "the tables of settings and attributes are well formed") { subject in
        let descriptor = try subject.rawDescriptor()
        let raw = descriptor.pointee
        let settings = UnsafeBufferPointer(start: raw.settings, count: Int(clamping: raw.setting_count))
        let attributes = UnsafeBufferPointer(start: raw.attributes, count: Int(clamping: raw.attribute_count))
        let faults =
            OptionRules.faults(in: settings, "setting") + OptionRules.faults(in: attributes, "attribute")
            + OptionRules.faults(ofAttributes: attributes)
        // Where nothing else is wrong, the loader may refuse a default.
        let all = faults.isEmpty ? PluginDescriptor(unchecked: descriptor).faultsOfOptions : faults
        if let end = CheckEnd.failed(all) { throw end }
        if let silent = (Array(settings) + Array(attributes)).first(where: { $0.documentation.count == 0 }) {
            throw CheckEnd.warned("\(silent.name.string) has no documentation")
        }
        return ""
    }

    static let defaults = Check("defaults", "it works with default settings and default attributes") { subject in
        let plugin = try subject.descriptor()
        let settings = try subject.settings(plugin)
        let bench: Bench
        do throws(PlugboardError) {
            bench = try Bench(subject, plugin, settings: settings)
        } catch {
            throw CheckEnd.failed(error.reason)
        }
        var plan = Traffic.plan("GET with every attribute at its default", [.head(200)])
        for option in plugin.attributes where !option.fallback.isEmpty {
            plan.attributes["\(plugin.id).\(option.name)"] = option.fallback
        }
        let conclusion = try await bench.conclude(plan)
        if conclusion.head == .failed(.requestOption) {
            throw CheckEnd.failed("the kernel refuses a default of its attributes")
        }
        try await bench.close()
        return ""
    }

    static let unknownSettings = Check("unknown-settings", "settings that its table does not list are refused") {
        subject in
        let plugin = try subject.descriptor()
        var settings = try subject.settings(plugin)
        // The wiretap sees which settings `create` reads.
        try await Bench(subject, isPlain: true).close()
        settings["check-unknown"] = .bool(true)
        do throws(PlugboardError) {
            _ = try Bench(subject, plugin, settings: settings)
        } catch {
            guard error.code == .configuration else {
                throw CheckEnd.failed("refused as \(error.code): \(error.reason)")
            }
            return ""
        }
        throw CheckEnd.failed("an unknown setting is accepted")
    }
}
