import TestSupport

/// The promise of `plugboard.h`: a released declaration never changes in place; a new one has a new name.
enum HeaderPromise {
    /// What a header breaks of the promise that another has given, a sentence each. As text; see `layoutBreaches`.
    static func breaches(of current: HeaderDeclarations, since released: HeaderDeclarations) -> [String] {
        var breaches: [String] = []
        for (tag, fields) in released.structs {
            breaches += HeaderPromise.breaches(of: tag, current.structs[tag], since: fields)
        }
        for (name, tokens) in released.types where current.types[name] != tokens {
            breaches.append("the type \(name) \(current.types[name] == nil ? "is gone" : "has changed")")
        }
        for (name, tokens) in released.functions where current.functions[name] != tokens {
            breaches.append("the function \(name) \(current.functions[name] == nil ? "is gone" : "has changed")")
        }
        for (name, definitions) in released.macros where current.macros[name] != definitions {
            breaches.append("the macro \(name) \(current.macros[name] == nil ? "is gone" : "has changed")")
        }
        breaches += released.includes.subtracting(current.includes).map { "\($0) is not included any more" }
        return breaches.sorted()
    }

    private static func breaches(
        of tag: String, _ current: [HeaderDeclarations.Field]?, since released: [HeaderDeclarations.Field]
    ) -> [String] {
        guard let current else { return ["the struct \(tag) is gone"] }
        for (index, field) in released.enumerated() {
            guard current.count > index else { return ["\(tag).\(field.name) is gone"] }
            guard current[index].name == field.name else { return ["\(tag).\(field.name) is not where it was"] }
            guard current[index] == field else { return ["\(tag).\(field.name) has changed"] }
        }
        return current.count == released.count
            ? [] : ["\(tag).\(current[released.count].name) came into a released struct"]
    }

    /// The same as a compiler sees it: sizes, offsets, types and numbers of what was released, in two headers.
    static func layoutBreaches(
        of current: String, since released: String, _ declarations: HeaderDeclarations
    ) async throws -> [String] {
        let before = try await facts(released, declarations)
        let after = try await facts(current, declarations)
        let changed = before.filter { after[$0.key] != $0.value }
        return changed.map { "\($0.key) was \($0.value) and is \(after[$0.key] ?? "gone")" }.sorted()
    }

    /// Each fact by its name. A header in which something is missing does not compile, which is thrown.
    private static func facts(_ header: String, _ declarations: HeaderDeclarations) async throws -> [String: String] {
        var lines: [String] = []
        func fact(_ name: String, _ expression: String) {
            lines.append("    printf(\"\(name)=%lld\\n\", (long long)(\(expression)));")
        }
        for (tag, fields) in declarations.structs {
            fact("the size of \(tag)", "sizeof(\(tag))")
            fact("the alignment of \(tag)", "_Alignof(\(tag))")
            for field in fields {
                let member = "((\(tag) *)0)->\(field.name)"
                fact("the offset of \(tag).\(field.name)", "offsetof(\(tag), \(field.name))")
                fact("the size of \(tag).\(field.name)", "sizeof(\(member))")
                fact(
                    "that \(tag).\(field.name) has its type",
                    "__builtin_types_compatible_p(__typeof__(\(member)), \(field.type))")
            }
        }
        for (name, definitions) in declarations.macros where definitions.allSatisfy(HeaderPromise.isNumber) {
            fact("the number \(name)", name)
        }
        let folder = try TemporaryFolder("promise")
        try folder.write("plugboard.h", header)
        try folder.write(
            "facts.c",
            """
            #include "plugboard.h"
            #include <stddef.h>
            #include <stdio.h>

            int main(void) {
            \(lines.sorted().joined(separator: "\n"))
                return 0;
            }

            """)
        try ProcessRunner.output(of: ["cc", "-std=gnu11", "facts.c", "-o", "facts"], folder: folder.path)
        let output = try ProcessRunner.output(of: [folder.file("facts")])
        let facts = output.split(separator: "\n").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(facts.map { ($0[0], $0[1]) }) { first, _ in first }
    }

    /// `1u`, `UINT64_MAX`.
    private static func isNumber(_ definition: [String]) -> Bool {
        definition.count == 1 && definition[0].wholeMatch(of: /\d+u?|UINT64_MAX/) != nil
    }
}
