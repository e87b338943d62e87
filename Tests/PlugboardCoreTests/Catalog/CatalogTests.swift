import Plugboard
import PlugboardKit
import Testing

@testable import PlugboardCore

@Suite struct CatalogTests {
    @Test func `a catalog finds its plugins by id`() {
        let catalog = Catalog([CatalogPlugins.plain("b"), CatalogPlugins.plain("a")])
            .adding([CatalogPlugins.plain("c", version: "3.0.0")])

        #expect(catalog.ids == ["a", "b", "c"])
        #expect(catalog.descriptor("c")?.version == "3.0.0")
        #expect(catalog.descriptor("d") == nil)
        #expect(catalog.errors.isEmpty)
    }

    @Test func `two plugins of one id are an error of every lineup`() {
        let catalog = Catalog([
            CatalogPlugins.plain("a", version: "1.0.0"), CatalogPlugins.plain("a", version: "1.1.0"),
        ])

        let error = #expect(throws: PlugboardError.self) { try Lineup(Configuration(), catalog: catalog) }

        #expect(error?.code == .configuration)
        #expect(error?.reason.contains("two linked plugins have the id a (versions 1.0.0 and 1.1.0)") == true)
    }

    @Test(arguments: ["kernel", "kernel.calls"])
    func `a plugin cannot have the kernel's ids`(id: String) {
        let catalog = Catalog([CatalogPlugins.plain(id), CatalogPlugins.plain("kernels")])

        #expect(catalog.ids == ["kernels"])
        #expect(catalog.errors.map(\.code) == [.malformedDescriptor])
        #expect(
            catalog.errors.first?.reason.contains("The plugin \(id) cannot be used: its id is the kernel's own") == true
        )
    }

    @Test(arguments: ["a..b", ".a", "a.", ".", "..", "", "a/b"])
    func `ids that are not words joined by single dots are refused`(id: String) {
        let catalog = Catalog([CatalogPlugins.plain(id), CatalogPlugins.plain("com.a-b_c.d1")])

        #expect(catalog.ids == ["com.a-b_c.d1"])
        #expect(catalog.errors.map(\.code) == [.malformedDescriptor])
        #expect(catalog.errors.first?.reason.contains("joined by single dots") == true)
    }

    @Test func `a malformed plugin is an error of every lineup`() {
        let catalog = Catalog([CatalogPlugins.plain("a b")])

        let error = #expect(throws: PlugboardError.self) { try Lineup(Configuration(), catalog: catalog) }

        #expect(error?.code == .malformedDescriptor)
        #expect(catalog.ids.isEmpty)
    }
}
