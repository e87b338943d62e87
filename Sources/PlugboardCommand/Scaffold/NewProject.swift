import ScaffoldTemplates

/// A small project for a plugin: what `plugboard plugins new` writes. Pure: lists the files, and writes none.
struct NewProject {
    let name: PluginName
    let id: String
    let language: ScaffoldLanguage
    /// Plugboard's package, for projects in Swift.
    let package: PlugboardPackage?

    /// The commands of the project's folder.
    var commands: (build: String, test: String) {
        language == .rust ? ("cargo build --release", "cargo test --release") : ("make", "make test")
    }

    /// The shared object that the build makes, relative to the project's folder.
    var object: String {
        switch language {
        case .c, .cPlusPlus: "\(name.module).so"
        case .rust: "target/release/lib\(name.module).so"
        case .swift: ".build/release/lib\(name.text).so"
        }
    }

    var files: [NewFile] {
        let own =
            switch language {
            case .c: filesInC
            case .cPlusPlus: filesInCPlusPlus
            case .rust: filesInRust
            case .swift: filesInSwift
            }
        return own + [file("plugboard.json", scaffold_plugboard_json())]
    }

    private var filesInC: [NewFile] {
        [
            file("README.md", scaffold_c_README_md()),
            file(".gitignore", scaffold_c_gitignore()),
            file("Makefile", scaffold_c_Makefile()),
            file("exports.map", scaffold_exports_map()),
            NewFile("include/plugboard.h", scaffold_plugboard_h()),
            NewFile("include/plugboard-transform.h", scaffold_plugboard_transform_h()),
            file("\(name.module).c", scaffold_c_plugin_c()),
            file("test/run.c", scaffold_c_test_c()),
            file("test/scenarios.json", scaffold_scenarios_json()),
        ]
    }

    private var filesInCPlusPlus: [NewFile] {
        [
            file("README.md", scaffold_cpp_README_md()),
            file(".gitignore", scaffold_c_gitignore()),
            file("Makefile", scaffold_cpp_Makefile()),
            file("exports.map", scaffold_exports_map()),
            NewFile("include/plugboard.h", scaffold_plugboard_h()),
            NewFile("include/plugboard.hpp", scaffold_plugboard_hpp()),
            file("\(name.module).cpp", scaffold_cpp_plugin_cpp()),
            file("test/run.c", scaffold_c_test_c()),
            file("test/scenarios.json", scaffold_scenarios_json()),
        ]
    }

    private var filesInRust: [NewFile] {
        [
            file("README.md", scaffold_rust_README_md()),
            file(".gitignore", scaffold_rust_gitignore()),
            file("Cargo.toml", scaffold_rust_Cargo_toml()),
            NewFile("src/plugboard.rs", scaffold_plugboard_rs()),
            file("src/lib.rs", scaffold_rust_lib_rs()),
            file("tests/loaded.rs", scaffold_rust_test_rs()),
            file("tests/scenarios.json", scaffold_scenarios_json()),
        ]
    }

    private var filesInSwift: [NewFile] {
        let type = name.type
        return [
            file("README.md", scaffold_swift_README_md()),
            file(".gitignore", scaffold_swift_gitignore()),
            file("Makefile", scaffold_swift_Makefile()),
            file("exports.map", scaffold_exports_map()),
            file("Package.swift", scaffold_swift_Package_txt()),
            file("Sources/\(type)/\(type).swift", scaffold_swift_plugin_txt()),
            file("Sources/\(type)Metadata/\(type)Metadata.c", scaffold_swift_metadata_c()),
            file("Sources/\(type)Metadata/include/\(type)Metadata.h", scaffold_swift_metadata_h()),
            file("Tests/\(type)Tests/\(type)Tests.swift", scaffold_swift_tests_txt()),
        ]
    }

    private func file(_ path: String, _ template: scaffold_template) -> NewFile {
        NewFile(
            path, template: template,
            [
                "name": name.text, "module": name.module, "Type": name.type, "id": id, "object": object,
                "dependency": package?.dependency ?? "", "package": package?.name ?? "",
            ])
    }
}
