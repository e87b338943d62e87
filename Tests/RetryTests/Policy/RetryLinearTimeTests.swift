import PlugboardKit
import PlugboardServerDelay
import TestSupport
import Testing

@testable import PlugboardRetry

struct RetryLinearTimeTests {
    @Test(arguments: nastyShapes.indices)
    func `fields with delays of any shape are parsed in linear time`(shape: Int) {
        let (kind, make) = nastyShapes[shape]
        for name: FieldName in ["Retry-After", "RateLimit", "RateLimit-Policy", "RateLimit-Remaining"] {
            for start in ["", "\"a\";r=0;", "a=1, "] {
                expectLinearTime("\(name.text) \(start)\(kind)", size: 4000) { size in
                    var fields = Fields()
                    fields.append(name, start + make(size))
                    return fields
                } read: { fields in
                    _ = ServerDelay(reading: fields, wallClock: .zero)
                }
            }
        }
    }
}
