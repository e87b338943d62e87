import CPlugboardCurl
import Testing

@testable import PlugboardCurl

@Suite struct SystemTrustTests {
    @Test(.enabled(if: SystemTrust.current != nil, "libcurl's defaults are left as they are"))
    func `the file is libcurl's default by another spelling`() throws {
        let trust = try #require(SystemTrust.current)
        let original = try #require(ccurl_version()?.pointee.cainfo.map { String(cString: $0) })

        #expect(trust.file != original)
        #expect(trust.file.split(separator: "/").filter({ $0 != "." }) == original.split(separator: "/"))
    }
}
