import Foundation
import TestSupport
import Testing

/// Holds `plugboard.rs` against what `layout.c` asserts of `plugboard.h`, and against the header's numbers.
@Suite(.enabled(if: ScaffoldedProject.canBuild("rust"), "there is no compiler for Rust"))
struct RustLayoutTests {
    @Test func `every struct, field and number has its place in Rust too`() async throws {
        let layout = try String(contentsOfFile: ScaffoldTestFiles.layout, encoding: .utf8)
        let header = try String(contentsOfFile: ScaffoldTestFiles.header, encoding: .utf8)
        let sizes = layout.matches(of: /ASSERT_SIZE\((\w+), (\d+)\);/).map { (type: $0.1, size: $0.2) }
        let offsets = layout.matches(of: /ASSERT_OFFSET\((\w+), (\w+), (\d+)\);/)
            .map { (type: $0.1, field: $0.2, offset: $0.3) }
        let numbers = header.matches(of: /#define (PLUG_\w+) (\d+)u/).map { (name: $0.1, value: $0.2) }

        let output = try await run(
            sizes.map { "println!(\"{}\", std::mem::size_of::<raw::\($0.type)>());" }
                + offsets.map { "println!(\"{}\", offset!(raw::\($0.type), \(name($0.field))));" }
                + numbers.map { "println!(\"{}\", raw::\($0.name));" })

        #expect(sizes.count >= 9 && offsets.count > 100 && numbers.count > 40)
        let expected = sizes.map(\.size) + offsets.map(\.offset) + numbers.map(\.value)
        let names =
            sizes.map { "size of \($0.type)" } + offsets.map { "\($0.type).\($0.field)" } + numbers.map { "\($0.name)" }
        try #require(output.count == expected.count)
        for (name, (found, wanted)) in zip(names, zip(output, expected)) {
            #expect(found == wanted, "\(name)")
        }
    }

    /// Words that are Rust's own.
    private func name(_ field: Substring) -> String { field == "type" ? "r#type" : String(field) }

    /// The lines that a program in Rust prints.
    private func run(_ statements: [String]) async throws -> [Substring] {
        let folder = try TemporaryFolder("layout")
        let module = try String(
            contentsOfFile: "\(ScaffoldTestFiles.sdk)/share/plugboard/plugboard.rs", encoding: .utf8)
        try folder.write("plugboard.rs", module)
        try folder.write(
            "main.rs",
            """
            mod plugboard;
            use plugboard::raw;

            macro_rules! offset {
                ($type:ty, $field:ident) => {{
                    let object = std::mem::MaybeUninit::<$type>::uninit();
                    let start = object.as_ptr();
                    unsafe { std::ptr::addr_of!((*start).$field) as usize - start as usize }
                }};
            }

            fn main() {
            \(statements.map { "    \($0)" }.joined(separator: "\n"))
            }

            """)
        try ProcessRunner.output(
            of: ["rustc", "--edition", "2021", "-D", "warnings", "main.rs", "-o", "layout"], folder: folder.path)
        return try ProcessRunner.output(of: [folder.file("layout")]).split(separator: "\n")
    }
}
