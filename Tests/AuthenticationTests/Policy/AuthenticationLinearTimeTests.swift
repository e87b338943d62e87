import TestSupport
import Testing

@testable import PlugboardAuthentication

struct AuthenticationLinearTimeTests {
    @Test(arguments: nastyShapes.indices)
    func `challenges of any shape are parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        for start in ["", "Basic ", "Basic a=", "Basic a=b, ", "Basic a=\""] {
            expectLinearTime("\(start)\(kind)", size: 4000, input: { start + make($0) }) { text in
                _ = Challenge.parse([text])
            }
        }
        expectLinearTime("fields of \(kind)", size: 500, input: { (0..<$0).map { _ in make(16) } }) { values in
            _ = Challenge.parse(values)
        }
    }
}
