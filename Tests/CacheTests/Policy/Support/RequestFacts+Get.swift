import PlugboardCacheOptions
import PlugboardKit

@testable import PlugboardCache

extension RequestFacts {
    /// A GET of one URL.
    static func get(_ fields: Fields = [:], mode: CacheMode = .default, own: Own = Own()) -> RequestFacts {
        let url = "https://example.com/a"
        return RequestFacts(
            method: .get, key: CacheKey(text: url), url: url, fields: fields, mode: mode, own: own)
    }
}
