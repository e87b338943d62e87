import Foundation

/// What the tests of scaffolds look at in the repository.
enum ScaffoldTestFiles {
    static let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL.path
    static let header = "\(root)/Sources/CPlugboard/include/plugboard.h"
    static let layout = "\(root)/Sources/CPlugboard/layout.c"
    static let sdk = "\(root)/SDK"
    static let fixtures = "\(root)/Tests/Fixtures/Scaffold"
}
