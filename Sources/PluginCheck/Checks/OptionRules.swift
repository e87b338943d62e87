import CPlugboard
import PlugboardKit

/// The rules of `plugboard.h` for a table of settings or attributes.
enum OptionRules {
    static func faults(in table: UnsafeBufferPointer<plug_option_v1>, _ what: String) -> [String] {
        var names: Set<String> = []
        return table.enumerated().flatMap { index, option in
            let name = option.name.string
            let title = "the \(what) \(name.isEmpty ? "number \(index + 1)" : name)"
            let isNew = names.insert(name).inserted
            return (faults(in: option, name) + (isNew ? [] : ["is listed twice"])).map { "\(title) \($0)" }
        }
    }

    /// The faults of one option, each as the end of a sentence that begins with the option's name.
    private static func faults(in option: plug_option_v1, _ name: String) -> [String] {
        guard name.wholeMatch(of: /[A-Za-z][A-Za-z0-9_.-]*/) != nil else {
            return ["has a name that is not made of letters, digits, '.', '-' and '_'"]
        }
        guard (PLUG_TYPE_BOOL...PLUG_TYPE_MAP).contains(option.type) else {
            return ["has the type \(option.type), which does not exist"]
        }
        var faults: [String] = []
        if option.flags & ~(PLUG_FLAG_SECRET | PLUG_FLAG_REQUIRED) != 0 { faults.append("has unknown flags") }
        if option.choices.count > 0 && option.type != PLUG_TYPE_TEXT { faults.append("has choices and is not a text") }
        if OptionDefinition(option).hasEmptyBounds { faults.append("has a minimum that is larger than its maximum") }
        if option.documentation.string.contains(where: \.isNewline) {
            faults.append("has more than one line of documentation")
        }
        return faults
    }

    /// The name `enabled` is reserved: the kernel defines `ID.enabled` for every plugin.
    static func faults(ofAttributes table: UnsafeBufferPointer<plug_option_v1>) -> [String] {
        table.contains { $0.name.string == "enabled" } ? ["the attribute enabled is the kernel's own"] : []
    }
}
