import PlugboardCacheOptions

extension CacheSettings {
    var policy: CachePolicy {
        CachePolicy(
            isShared: shared, heuristicPercent: heuristicPercent, heuristicLimit: heuristicLimit,
            staleWhileUnreachable: staleWhileUnreachable, variantLimit: variants)
    }
}
