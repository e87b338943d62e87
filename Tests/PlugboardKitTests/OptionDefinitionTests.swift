import CPlugboard
import Testing

@testable import PlugboardKit

/// What an author's table says of a value, as the kernel reads it back.
struct OptionDefinitionTests {
    private enum Level: String, WordOption { case low, high }

    private func error<Value: OptionValue>(
        _ text: String, _: Value.Type, in bounds: ClosedRange<Int64>? = nil
    ) -> String? {
        let definition = OptionDefinition("x", "What it is.", of: Value.self, bounds: bounds)
        return describe(definition).error(in: text)
    }

    private func describe(_ definition: OptionDefinition) -> OptionDefinition {
        let memory = DescriptorMemory()
        return withExtendedLifetime(memory) { OptionDefinition(definition.row(in: memory)) }
    }

    @Test func `sets of methods and of codes are lists of names in alphabetical order`() {
        let methods = Set<PlugboardKit.Method>.optionForm
        let codes = Set<PlugboardError.Code>.optionForm

        #expect(methods.kind == .list && codes.kind == .list)
        #expect(methods.read(#"["QUERY", "POST"]"#) == [.post, "QUERY"] && methods.read("POST") == nil)
        #expect(methods.text(of: [.put, .post]) == #"["POST","PUT"]"#)
        #expect(codes.text(of: [.transportReset, .bodyCut]) == #"["body.cut","transport.reset"]"#)
    }

    @Test func `values that can be read and lie within their bounds have no error`() {
        #expect(error("true", Bool.self) == nil)
        #expect(error("9", Int.self, in: 1...9) == nil)
        #expect(error("60s", Duration.self, in: 0...60_000_000_000) == nil)
        #expect(error("1GiB", ByteCount.self, in: 0...1 << 30) == nil)
        #expect(error("anything", String.self) == nil)
        #expect(error("high", Level.self) == nil)
        #expect(error(#"["a", "b"]"#, [String].self, in: 0...2) == nil)
        #expect(error(#"{"a": "b"}"#, [String: String].self) == nil)
    }

    @Test func `for a value of another type the error says which type is wanted`() {
        #expect(error("yes", Bool.self) == "must be true or false")
        #expect(error("1.5", Int.self) == "must be a whole number")
        #expect(error("5", Duration.self) == #"must be a time like "30s" (ms, s, m, h, d)"#)
        #expect(error("5MB", ByteCount.self) == #"must be a size like "16MiB" (B, KiB, MiB, GiB)"#)
        #expect(error("[1]", [String].self) == #"must be a list of strings, such as ["a"]"#)
        #expect(error("[]", [String: String].self) == #"must be an object of strings, such as {"a": "b"}"#)
        #expect(error(#"{"a": 1}"#, [String: String].self) == #"must be an object of strings, such as {"a": "b"}"#)
        #expect(error("mid", Level.self) == "must be one of low, high")
    }

    @Test func `for a value beyond its bounds the error has them in its own unit`() {
        #expect(error("10", Int.self, in: 1...9) == "must lie between 1 and 9")
        #expect(error("0", Int.self, in: 1...9) == "must lie between 1 and 9")
        #expect(error("61s", Duration.self, in: 0...60_000_000_000) == "must lie between 0ms and 1m")
        #expect(error("2GiB", ByteCount.self, in: 1024...1 << 30) == "must lie between 1KiB and 1GiB")
    }

    @Test func `bounds of a text are its bytes, of a list its count`() {
        #expect(error("\u{E9}\u{E9}", String.self, in: 1...3) == "must lie between 1 and 3")
        #expect(error("abc", String.self, in: 1...3) == nil)
        #expect(error(#"["a", "b", "c"]"#, [String].self, in: 0...2) == "must lie between 0 and 2")
    }

    /// A row as an author in C writes it: what is left out is zero.
    private func row(_ type: plug_option_type, minimum: Int64 = 0, maximum: Int64 = 0) -> OptionDefinition {
        var row = plug_option_v1()
        row.name = plug_text(immortal: "x")
        row.type = type
        (row.minimum, row.maximum) = (minimum, maximum)
        return OptionDefinition(row)
    }

    @Test func `bounds that are left out in C are no bounds`() {
        #expect(row(PLUG_TYPE_INTEGER).error(in: "-7") == nil)
        #expect(row(PLUG_TYPE_TEXT).error(in: "any text") == nil)
        #expect(row(PLUG_TYPE_LIST).error(in: #"["a"]"#) == nil)
        #expect(row(PLUG_TYPE_INTEGER, maximum: 9).error(in: "10") == "must lie between 0 and 9")
        #expect(row(PLUG_TYPE_INTEGER, minimum: -9).error(in: "1") == "must lie between -9 and 0")
    }

    @Test(arguments: [(0, 0), (0, 5), (5, 5), (5, 0)])
    func `a bool has no bounds`(minimum: Int64, maximum: Int64) {
        let option = row(PLUG_TYPE_BOOL, minimum: minimum, maximum: maximum)

        #expect(option.error(in: "true") == nil && option.error(in: "false") == nil)
        #expect(option.bounds == nil && !option.hasEmptyBounds)
    }

    @Test func `a minimum above the maximum leaves no valid value`() {
        #expect(row(PLUG_TYPE_INTEGER, minimum: 5).hasEmptyBounds)
        #expect(!row(PLUG_TYPE_INTEGER, minimum: 5, maximum: .max).hasEmptyBounds)
    }

    @Test func `a descriptor with a minimum above the maximum is refused, with the option's name`() {
        var option = plug_option_v1()
        option.name = plug_text(immortal: "limit")
        option.type = PLUG_TYPE_INTEGER
        option.minimum = 5

        let error = #expect(throws: PlugboardError.self) {
            try withUnsafePointer(to: option) { option in
                var plugin = plug_plugin_v1()
                plugin.abi_revision = PLUG_ABI_REVISION
                plugin.id = plug_text(immortal: "com.example.limits")
                plugin.create = { _, _ in nil }
                (plugin.settings, plugin.setting_count) = (option, 1)
                try withUnsafePointer(to: plugin) { _ = try PluginDescriptor(checking: $0) }
            }
        }

        #expect(error?.code == .loadingDescriptor)
        #expect(error?.reason.contains("the minimum of its option 'limit' is larger than the maximum") == true)
    }

    @Test func `a type of a later kernel is an error for every value`() {
        let memory = DescriptorMemory()
        var option = OptionDefinition("x", "What it is.", of: Int.self).row(in: memory)
        option.type = 99

        let description = OptionDefinition(option)
        withExtendedLifetime(memory) {}

        #expect(description.kind == nil)
        #expect(description.error(in: "1") == "has no type that this kernel knows")
    }

    @Test func `a table's row comes back whole`() {
        let definition = OptionDefinition(
            "level", "How loud.", of: Level.self, fallback: "low", isSecret: true, isRequired: true)

        let description = describe(definition)

        #expect(description.name == "level")
        #expect(description.documentation == "How loud.")
        #expect(description.kind == .text)
        #expect(description.choices == ["low", "high"])
        #expect(description.fallback == "low")
        #expect(description.isSecret && description.isRequired)
        #expect(description.bounds == nil)
    }
}
