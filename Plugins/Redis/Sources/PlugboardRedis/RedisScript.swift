/// What takes effect as a whole, in Redis's Lua. `KEYS` are in one slot of a cluster.
enum RedisScript: Int, CaseIterable, Sendable {
    case put, add, compareAndSet, takeLock, renewLock, giveBackLock

    var text: String {
        switch self {
        case .put:
            """
            for i, key in ipairs(KEYS) do redis.call('SET', key, ARGV[2 * i - 1], 'PX', ARGV[2 * i]) end
            return 1
            """
        // A reply with INCRBY's number would lose digits, because Lua's numbers have 53 bits.
        case .add:
            RedisScript.known + """
                if not value then redis.call('SET', KEYS[1], '0', 'PX', ARGV[2]) end
                redis.call('INCRBY', KEYS[1], ARGV[1])
                return redis.call('GET', KEYS[1])
                """
        case .compareAndSet:
            RedisScript.known + """
                if value ~= (ARGV[3] or false) then return 0 end
                redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
                return 1
                """
        // A token is the engine's time in microseconds, so that it rises also where the last one is forgotten.
        case .takeLock:
            """
            if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
            local now = redis.call('TIME')
            local token = now[1] * 1000000 + now[2]
            local last = tonumber(redis.pcall('GET', KEYS[2]))
            if last and last >= token and last < 9007199254740991 then token = last + 1 end
            local text = string.format('%.0f', token)
            redis.call('SET', KEYS[1], text, 'PX', ARGV[1])
            redis.call('SET', KEYS[2], text, 'PX', ARGV[1] + 3600000)
            return text
            """
        case .renewLock:
            """
            if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('PEXPIRE', KEYS[1], ARGV[2])
            """
        case .giveBackLock:
            """
            if redis.pcall('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            return redis.call('DEL', KEYS[1])
            """
        }
    }

    /// The value of a key, or false if it has none in a form that this version knows. See `RedisNames.value`.
    private static let known = """
        local value = redis.pcall('GET', KEYS[1])
        local isKnown = type(value) == 'string' and (string.byte(value) == 1 or string.find(value, '^-?%d+$'))
        if not isKnown then value = false end

        """
}
