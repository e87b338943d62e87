import Plugboard
import PlugboardKit
import Testing

/// The settings of the bundled plugins in code and in files are one definition.
struct TypedSettingsTests {
    @Test func `every bundled plugin is here`() {
        #expect(GivenSettings.all.map(\.id).sorted() == Catalog.bundled.ids)
    }

    @Test(arguments: GivenSettings.all.indices)
    func `every setting can be given in code, and has the default of files`(index: Int) throws {
        let (id, entry, names) = GivenSettings.all[index]
        let table = try #require(Catalog.bundled.descriptor(id)).settings
        let byDefault = try #require(
            ResolvedPlugins(Configuration(plugins: [PluginEntry(id)]), catalog: .bundled).plugins.first)

        let inCode = try #require(ResolvedPlugins(Configuration(plugins: [entry]), catalog: Catalog()).plugins.first)

        #expect(Set(table.map(\.name)) == names)
        #expect(inCode.settings == byDefault.settings)
        // A text without a value cannot be told from one that is empty, so it is not given.
        let optional = Set(table.filter { $0.fallback.isEmpty && $0.kind != .text }.map(\.name))
        #expect(
            names.subtracting(entry.settings.map(\.0)).isSubset(
                of: optional.union([
                    "path", "probe", "endpoint", "prometheusPath", "rules", "har", "store", "fleetKeyFile",
                    "fleetKeyEnvironment",
                ])))
    }

    @Test func `settings are values: a copy keeps its own`() {
        var first = RetrySettings()
        let copy = first
        first.attempts = 9

        #expect(copy.attempts == 3)
        #expect(first.attempts == 9)
    }
}
