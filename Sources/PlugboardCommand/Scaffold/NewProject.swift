/// A small project for a plugin: what `plugboard plugins new` writes. Pure: says which files there are, and writes none.
struct NewProject {
    let name: PluginName
    let id: String
    let language: ScaffoldLanguage
    /// Plugboard's package, for projects in Swift.
    let package: PlugboardPackage?

    /// What one has to type in the project's folder.
    var commands: (build: String, test: String) {
        language == .rust ? ("cargo build --release", "cargo test --release") : ("make", "make test")
    }

    /// The shared object that the build makes, from the project's folder.
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
        return own + [file("plugboard.json", PackageResources.plugboard_json)]
    }

    private var filesInC: [NewFile] {
        [
            file("README.md", PackageResources.c_README_md),
            file(".gitignore", PackageResources.c_gitignore),
            file("Makefile", PackageResources.c_Makefile),
            file("exports.map", PackageResources.exports_map),
            NewFile("include/plugboard.h", PackageResources.plugboard_h),
            file("\(name.module).c", PackageResources.c_plugin_c),
            file("test/run.c", PackageResources.c_test_c),
        ]
    }

    private var filesInCPlusPlus: [NewFile] {
        [
            file("README.md", PackageResources.cpp_README_md),
            file(".gitignore", PackageResources.c_gitignore),
            file("Makefile", PackageResources.cpp_Makefile),
            file("exports.map", PackageResources.exports_map),
            NewFile("include/plugboard.h", PackageResources.plugboard_h),
            NewFile("include/plugboard.hpp", PackageResources.plugboard_hpp),
            file("\(name.module).cpp", PackageResources.cpp_plugin_cpp),
            file("test/run.c", PackageResources.c_test_c),
        ]
    }

    private var filesInRust: [NewFile] {
        [
            file("README.md", PackageResources.rust_README_md),
            file(".gitignore", PackageResources.rust_gitignore),
            file("Cargo.toml", PackageResources.rust_Cargo_toml),
            NewFile("src/plugboard.rs", PackageResources.plugboard_rs),
            file("src/lib.rs", PackageResources.rust_lib_rs),
            file("tests/loaded.rs", PackageResources.rust_test_rs),
        ]
    }

    private var filesInSwift: [NewFile] {
        let type = name.type
        return [
            file("README.md", PackageResources.swift_README_md),
            file(".gitignore", PackageResources.swift_gitignore),
            file("Makefile", PackageResources.swift_Makefile),
            file("exports.map", PackageResources.exports_map),
            file("Package.swift", PackageResources.swift_Package_txt),
            file("Sources/\(type)/\(type).swift", PackageResources.swift_plugin_txt),
            file("Sources/\(type)Metadata/\(type)Metadata.c", PackageResources.swift_metadata_c),
            file("Sources/\(type)Metadata/include/\(type)Metadata.h", PackageResources.swift_metadata_h),
            file("Tests/\(type)Tests/\(type)Tests.swift", PackageResources.swift_tests_txt),
        ]
    }

    private func file(_ path: String, _ template: [UInt8]) -> NewFile {
        NewFile(
            path, template: template,
            [
                "name": name.text, "module": name.module, "Type": name.type, "id": id, "object": object,
                "dependency": package?.dependency ?? "", "package": package?.name ?? "",
            ])
    }
}
