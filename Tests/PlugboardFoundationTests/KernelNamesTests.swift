import PlugboardCore
import Testing

/// A file that imports PlugboardCore alone names the types of the kernel's own declarations: that it compiles is half
/// of the test.
@Suite struct KernelNamesTests {
    @Test func `a program with one import can name the types that the kernel's declarations name`() throws {
        let kernel = try Kernel(clock: ManualClock(), watch: { (_: ObservedEvent) in })
        let plugins: [EnabledPlugin] = kernel.plugins
        let executor: LoopExecutor = kernel.executor
        let sections: [String: JSONValue] = Configuration().sections

        #expect(plugins.isEmpty && sections.isEmpty)
        withExtendedLifetime(executor) {}
    }
}

private enum Named {
    typealias PlainAttributes = Attributes
    typealias PlainCommandDefinition = CommandDefinition
    typealias PlainCommandReply = CommandReply
    typealias PlainHooks = Hooks
    typealias PlainJSONNumber = JSONNumber
    typealias PlainJSONObject = JSONObject
    typealias PlainJSONPath = JSONPath
    typealias PlainJSONPathElement = JSONPathElement
    typealias PlainJSONValue = JSONValue
    typealias PlainLoopExecutor = LoopExecutor
    typealias PlainManualClock = ManualClock
    typealias PlainNetworkState = NetworkState
    typealias PlainOptionDefinition = OptionDefinition
    typealias PlainOptionKind = OptionKind
    typealias PlainPluginCommands = PluginCommands
    typealias PlainPluginDescriptor = PluginDescriptor
    typealias PlainPluginEntry = PluginEntry
    typealias PlainReachability = Reachability
    typealias PlainRequest = Request
    typealias PlainTransport = Transport
    typealias PlainVisit = Visit
    typealias PlainDescriptor = UnsafePointer<plug_plugin_v1>
}
