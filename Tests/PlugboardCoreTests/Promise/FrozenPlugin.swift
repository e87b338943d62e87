import Foundation
import TestSupport

/// Builds the plugins of `Tests/Fixtures/Frozen`, which are compiled with the frozen header and nothing else of this
/// repository.
enum FrozenPlugin {
    private static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        .path
    private static let folder = "\(root)/Tests/Fixtures/Frozen"
    static let header = "\(folder)/plugboard-1.h"
    /// The program that compares two headers.
    static let comparison = "\(root)/Tests/compare-headers"
    static let currentHeader = "\(root)/Sources/CPlugboard/include/plugboard.h"

    /// A shared object in C, in the folder given.
    static func buildInC(in output: TemporaryFolder) throws -> String {
        let object = output.file("frozen.so")
        try ProcessRunner.output(
            of: [
                "cc", "-std=c11", "-Wall", "-Wextra", "-Werror", "-O2", "-fPIC", "-shared", "-fvisibility=hidden",
                "-Wl,-z,defs", "-Wl,-z,now", "\(folder)/frozen.c", "-o", object,
            ])
        return trusted(object)
    }

    /// A shared object in Swift, by the compiler alone: the header is a module of C there.
    static func buildInSwift(in output: TemporaryFolder) throws -> String {
        let (metadata, object) = (output.file("metadata.o"), output.file("frozen-swift.so"))
        try ProcessRunner.output(of: ["cc", "-c", "-fPIC", "\(folder)/metadata.c", "-o", metadata])
        try ProcessRunner.output(
            of: [
                "swiftc", "-swift-version", "6", "-warnings-as-errors", "-parse-as-library", "-O", "-module-name",
                "Frozen",
                "-module-cache-path", output.file("modules"), "-I", folder, "-emit-library", "\(folder)/frozen.swift",
                metadata, "-Xlinker", "--version-script=\(folder)/exports.map", "-o", object,
            ])
        return trusted(object)
    }

    /// For any umask: the loader refuses files that other users may write.
    private static func trusted(_ object: String) -> String {
        chmod(object, 0o755)
        return object
    }
}
