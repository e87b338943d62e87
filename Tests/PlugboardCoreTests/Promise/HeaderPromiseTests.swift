import Foundation
import PlugboardMessages
import TestSupport
import Testing

/// Compares `plugboard.h` with the frozen copy of revision 1, and shows that the comparison can fail.
struct HeaderPromiseTests {
    private let released: String
    private let current: String
    private let declarations: HeaderDeclarations

    init() throws {
        released = try String(contentsOfFile: FrozenPlugin.header, encoding: .utf8)
        current = try String(contentsOfFile: FrozenPlugin.currentHeader, encoding: .utf8)
        declarations = HeaderDeclarations(released)
    }

    /// Renew this constant only while revision 1 is not released: a changed copy would hide a changed header.
    private static let digest = "7ecb7f0e05f710b85121ebc957342b3e3d2a09d2d704e0cbc403984349dd3d7b"

    @Test func `the frozen copy is the one that was frozen, comments included`() {
        #expect(Bytes(released).sha256 == HeaderPromiseTests.digest)
    }

    @Test func `nothing that was released has changed in place`() async throws {
        #expect(HeaderPromise.breaches(of: HeaderDeclarations(current), since: declarations) == [])
        #expect(try await HeaderPromise.layoutBreaches(of: current, since: released, declarations) == [])
    }

    @Test func `the frozen copy is of revision 1, and all of it is understood`() throws {
        #expect(declarations.rest == [])
        #expect(HeaderDeclarations(current).rest == [])
        #expect(declarations.macros["PLUG_ABI_REVISION"] == [["1u"]])
        #expect(
            Set(declarations.structs.keys) == [
                "plug_text", "plug_bytes", "plug_option_v1", "plug_command_v1", "plug_plugin_v1", "plug_source_v1",
                "plug_piece_v1", "plug_field", "plug_subrequest_v1", "plug_host_v1", "plug_head_field_v1",
                "plug_url_parts_v1", "plug_metric_v1",
            ])
        #expect(declarations.structs["plug_text"]?.map(\.name) == ["bytes", "count"])
        #expect(declarations.structs["plug_bytes"]?.map(\.name) == ["bytes", "count", "release", "context"])
        #expect(declarations.structs["plug_host_v1"]?.count == 115)
        #expect(declarations.structs["plug_host_v1"]?.last?.name == "extension")
        #expect(declarations.types.keys.contains("plug_exchange") && declarations.types.keys.contains("plug_pull"))
        #expect(
            declarations.types.keys.filter { $0.hasSuffix("_function") }.sorted() == [
                "plug_done_function", "plug_metric_function", "plug_piece_function", "plug_pull_function",
                "plug_ready_function", "plug_release_function", "plug_rewind_function", "plug_subresponse_function",
                "plug_timer_function", "plug_work_function",
            ])
        #expect(Array(declarations.functions.keys) == ["plug_make_text"])
        #expect(declarations.macros.count == 75)
    }

    /// A change of the header, and the breach that the check reports for it.
    struct Change: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let old: String
        let new: String
        let breach: String

        init(_ description: String, _ old: String, _ new: String, _ breach: String) {
            testDescription = description
            self.old = old
            self.new = new
            self.breach = breach
        }
    }

    @Test(arguments: [
        Change(
            "a field removed", "    plug_option_flags flags;\n    plug_text fallback;", "    plug_text fallback;",
            "plug_option_v1.flags is not where it was"),
        Change(
            "the last field removed", "    const void *(*extension)(const plug_plugin_v1 *plugin, plug_text id);\n", "",
            "plug_plugin_v1.extension is gone"),
        Change(
            "a field added", "    plug_text value;\n} plug_field;",
            "    plug_text value;\n    uint64_t flags;\n} plug_field;",
            "plug_field.flags came into a released struct"),
        Change(
            "a field renamed", "    plug_text choices; ", "    plug_text words; ",
            "plug_option_v1.choices is not where it was"),
        Change(
            "a field of another type", "    int32_t priority;", "    uint32_t priority;",
            "plug_plugin_v1.priority has changed"),
        Change(
            "functions in another order",
            "    int64_t (*now)(const plug_host_v1 *host);\n"
                + "    // Returns the time since 1970-01-01 00:00 UTC. [any]\n"
                + "    int64_t (*wall_clock)(const plug_host_v1 *host);\n",
            "    int64_t (*wall_clock)(const plug_host_v1 *host);\n    int64_t (*now)(const plug_host_v1 *host);\n",
            "plug_host_v1.now is not where it was"),
        Change(
            "a parameter of another type", "plug_verdict (*resend)(plug_exchange *exchange, int64_t after);",
            "plug_verdict (*resend)(plug_exchange *exchange, uint64_t after);", "plug_host_v1.resend has changed"),
        Change(
            "a parameter added", "plug_result (*wake)(const plug_host_v1 *host, plug_ticket ticket);",
            "plug_result (*wake)(const plug_host_v1 *host, plug_ticket ticket, uint32_t why);",
            "plug_host_v1.wake has changed"),
        Change(
            "a parameter renamed", "plug_text (*url)(const plug_head *head);",
            "plug_text (*url)(const plug_head *request);", "plug_host_v1.url has changed"),
        Change(
            "another result", "    void (*refuse)(const plug_host_v1 *host, plug_text reason);",
            "    uint32_t (*refuse)(const plug_host_v1 *host, plug_text reason);", "plug_host_v1.refuse has changed"),
        Change(
            "a number changed", "#define PLUG_VERDICT_WAIT 4u", "#define PLUG_VERDICT_WAIT 7u",
            "the macro PLUG_VERDICT_WAIT has changed"),
        Change(
            "a number removed", "#define PLUG_VISIT_OVER_LIMIT 4u", "#define PLUG_TOO_LONG 4u",
            "the macro PLUG_VISIT_OVER_LIMIT is gone"),
        Change(
            "another revision", "#define PLUG_ABI_REVISION 1u", "#define PLUG_ABI_REVISION 2u",
            "the macro PLUG_ABI_REVISION has changed"),
        Change(
            "a number of another size", "typedef uint64_t plug_pull;", "typedef uint32_t plug_pull;",
            "the type plug_pull has changed"),
        Change(
            "a callback with another parameter", "plug_release_function)(void *context);",
            "plug_release_function)(void *context, uint32_t why);", "the type plug_release_function has changed"),
        Change(
            "a kind of numbers of another size", "typedef uint32_t plug_verdict;", "typedef uint64_t plug_verdict;",
            "the type plug_verdict has changed"),
        Change("a type removed", "typedef uint64_t plug_timer;", "", "the type plug_timer is gone"),
        Change("a struct removed", "plug_command_v1", "plug_command_v2", "the struct plug_command_v1 is gone"),
        Change(
            "another metadata", "\"plugboard/1 \" id \" \" version", "\"plugboard/2 \" id \" \" version",
            "the macro PLUGBOARD_METADATA has changed"),
        Change(
            "another entry", "_LTX_plugboard_plugin(void); \\", "_plugboard_plugin(void); \\",
            "the macro PLUGBOARD_PLUGIN has changed"),
        Change(
            "another body of a function", "    text.count = count;", "    text.count = count + 1;",
            "the function plug_make_text has changed"),
        Change(
            "an include removed", "#include <stdint.h>", "#include <stddef.h>", "<stdint.h> is not included any more"),
    ])
    func `a change in place is found`(change: Change) throws {
        let changed = released.replacing(change.old, with: change.new)
        try #require(changed != released, "the header has no such lines")

        #expect(HeaderPromise.breaches(of: HeaderDeclarations(changed), since: declarations).contains(change.breach))
    }

    @Test(arguments: [
        Change(
            "fields of another size, by a macro", "#define PLUG_OK 0u", "#define int32_t int64_t\n#define PLUG_OK 0u",
            "the size of plug_plugin_v1.priority was 4 and is 8"),
        Change(
            "fields without gaps", "#define PLUG_OK 0u", "#pragma pack(1)\n#define PLUG_OK 0u",
            "the alignment of plug_option_v1 was 8 and is 1"),
        Change(
            "a field of another type", "    int32_t priority;", "    uint32_t priority;",
            "that plug_plugin_v1.priority has its type was 1 and is 0"),
        Change(
            "a parameter of another type", "plug_verdict (*resend)(plug_exchange *exchange, int64_t after);",
            "plug_verdict (*resend)(plug_exchange *exchange, uint64_t after);",
            "that plug_host_v1.resend has its type was 1 and is 0"),
        Change(
            "fields in another order", "    plug_option_type type;\n    plug_option_flags flags;\n",
            "    plug_option_flags flags;\n    plug_option_type type;\n",
            "the offset of plug_option_v1.type was 16 and is 20"),
        Change(
            "a number changed", "#define PLUG_VERDICT_WAIT 4u", "#define PLUG_VERDICT_WAIT 7u",
            "the number PLUG_VERDICT_WAIT was 4 and is 7"),
    ])
    func `a change that the text hides is found by the compiler`(change: Change) async throws {
        let changed = released.replacing(change.old, with: change.new)
        try #require(changed != released, "the header has no such lines")

        let breaches = try await HeaderPromise.layoutBreaches(of: changed, since: released, declarations)

        #expect(breaches.contains(change.breach), "\(breaches)")
    }

    @Test func `new declarations have new names, and comments and lines may change`() async throws {
        var grown = released.replacing("// A body that a plugin makes.", with: "// A body that some plugin makes.")
        grown = grown.replacing(
            "#define PLUG_LENGTH_UNKNOWN UINT64_MAX\n",
            with: "#define PLUG_LENGTH_UNKNOWN UINT64_MAX\n#define PLUG_LATER 7u\n")
        grown = grown.replacing(
            "    plug_option_flags flags;\n", with: "    plug_option_flags   flags ;  /* which */\n")
        grown = grown.replacing(
            "typedef struct plug_field {",
            with: "typedef struct plug_host_v2 { plug_text name; } plug_host_v2;\ntypedef struct plug_field {")
        try #require(grown.contains("PLUG_LATER") && grown.contains("/* which */") && grown.contains("plug_host_v2"))

        #expect(HeaderPromise.breaches(of: HeaderDeclarations(grown), since: declarations) == [])
        #expect(try await HeaderPromise.layoutBreaches(of: grown, since: released, declarations) == [])
    }
}
