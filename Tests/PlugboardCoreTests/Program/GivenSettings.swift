import Plugboard
import PlugboardKit

/// The bundled plugins with every setting that their modules of options have, given in code as it is by default.
enum GivenSettings {
    static let all: [(id: String, entry: PluginEntry, names: Set<String>)] = [
        (
            "logging",
            .logging {
                $0.format = $0.format
                $0.level = $0.level
                $0.queries = $0.queries
                $0.bodies = $0.bodies
                $0.secretMembers = $0.secretMembers
                $0.methods = $0.methods
                $0.hosts = $0.hosts
                $0.statuses = $0.statuses
                $0.slowerThan = $0.slowerThan
                $0.failures = $0.failures
                $0.path = $0.path
                $0.rotateSize = $0.rotateSize
                $0.rotateAge = $0.rotateAge
                $0.rotateCount = $0.rotateCount
            },
            [
                "format", "level", "queries", "bodies", "secretMembers", "methods", "hosts", "statuses", "slowerThan",
                "failures", "path", "rotateSize", "rotateAge", "rotateCount",
            ]
        ),
        (
            "indicator",
            .indicator {
                $0.delay = $0.delay
                $0.interval = $0.interval
                $0.message = $0.message
                $0.rows = $0.rows
                $0.terminal = $0.terminal
            },
            ["delay", "interval", "message", "rows", "terminal"]
        ),
        (
            "recorder",
            .recorder {
                $0.persistence = $0.persistence
                $0.path = $0.path
                $0.limit = $0.limit
                $0.size = $0.size
                $0.age = $0.age
                $0.bodies = $0.bodies
                $0.bodyLimit = $0.bodyLimit
                $0.bodyTypes = $0.bodyTypes
                $0.secretParameters = $0.secretParameters
                $0.secretMembers = $0.secretMembers
            },
            [
                "persistence", "path", "limit", "size", "age", "bodies", "bodyLimit", "bodyTypes", "secretParameters",
                "secretMembers",
            ]
        ),
        (
            "telemetry",
            .telemetry {
                $0.service = $0.service
                $0.resource = $0.resource
                $0.endpoint = $0.endpoint
                $0.fields = $0.fields
                $0.path = $0.path
                $0.prometheusPath = $0.prometheusPath
                $0.interval = $0.interval
                $0.metricsInterval = $0.metricsInterval
                $0.sampled = $0.sampled
                $0.limit = $0.limit
                $0.queries = $0.queries
                $0.requestFields = $0.requestFields
                $0.responseFields = $0.responseFields
            },
            [
                "service", "resource", "endpoint", "fields", "path", "prometheusPath", "interval", "metricsInterval",
                "sampled", "limit", "queries", "requestFields", "responseFields",
            ]
        ),
        (
            "mock",
            .mock {
                $0.rules = $0.rules
                $0.har = $0.har
                $0.unmatched = $0.unmatched
                $0.seed = $0.seed
                $0.bodyLimit = $0.bodyLimit
            },
            ["rules", "har", "unmatched", "seed", "bodyLimit"]
        ),
        (
            "decode",
            .decode {
                $0.codings = $0.codings
                $0.always = $0.always
                $0.limit = $0.limit
                $0.ratio = $0.ratio
            },
            ["codings", "always", "limit", "ratio"]
        ),
        (
            "redirect",
            .redirect {
                $0.limit = $0.limit
                $0.keepMethod = $0.keepMethod
                $0.allowDowngrade = $0.allowDowngrade
            },
            ["limit", "keepMethod", "allowDowngrade"]
        ),
        (
            "authentication",
            .authentication {
                $0.timeout = $0.timeout
                $0.margin = $0.margin
                $0.pause = $0.pause
                $0.fileInterval = $0.fileInterval
                $0.fleetKeyFile = $0.fleetKeyFile
                $0.fleetKeyEnvironment = $0.fleetKeyEnvironment
            },
            ["timeout", "margin", "pause", "fileInterval", "fleetKeyFile", "fleetKeyEnvironment"]
        ),
        (
            "cookies",
            .cookies {
                $0.persistence = $0.persistence
                $0.path = $0.path
                $0.sessionCookies = $0.sessionCookies
                $0.jar = $0.jar
                $0.domainLimit = $0.domainLimit
                $0.limit = $0.limit
                $0.trustLoopback = $0.trustLoopback
                $0.acrossRoutes = $0.acrossRoutes
            },
            [
                "persistence", "path", "sessionCookies", "jar", "domainLimit", "limit", "trustLoopback", "acrossRoutes",
            ]
        ),
        (
            "cache",
            .cache {
                $0.shared = $0.shared
                $0.persistence = $0.persistence
                $0.path = $0.path
                $0.memory = $0.memory
                $0.disk = $0.disk
                $0.entries = $0.entries
                $0.largestBody = $0.largestBody
                $0.sharedBody = $0.sharedBody
                $0.mode = $0.mode
                $0.timeToLives = $0.timeToLives
                $0.overrides = $0.overrides
                $0.version = $0.version
                $0.appVersion = $0.appVersion
                $0.key = $0.key
                $0.ignore = $0.ignore
                $0.keyBody = $0.keyBody
                $0.heuristicPercent = $0.heuristicPercent
                $0.heuristicLimit = $0.heuristicLimit
                $0.staleWhileUnreachable = $0.staleWhileUnreachable
                $0.variants = $0.variants
                $0.singleFlight = $0.singleFlight
                $0.singleFlightLimit = $0.singleFlightLimit
                $0.cacheStatus = $0.cacheStatus
            },
            [
                "shared", "persistence", "path", "memory", "disk", "entries", "largestBody", "sharedBody", "mode",
                "timeToLives", "overrides", "version", "appVersion", "key", "ignore", "keyBody", "heuristicPercent",
                "heuristicLimit",
                "staleWhileUnreachable", "variants", "singleFlight", "singleFlightLimit", "cacheStatus",
            ]
        ),
        (
            "queue",
            .queue {
                $0.path = $0.path
                $0.store = $0.store
                $0.schema = $0.schema
                $0.mode = $0.mode
                $0.methods = $0.methods
                $0.failures = $0.failures
                $0.idempotencyKey = $0.idempotencyKey
                $0.storeCredentials = $0.storeCredentials
                $0.automatic = $0.automatic
                $0.probe = $0.probe
                $0.concurrency = $0.concurrency
                $0.spread = $0.spread
                $0.delay = $0.delay
                $0.delayLimit = $0.delayLimit
                $0.attempts = $0.attempts
                $0.rejections = $0.rejections
                $0.categoryWait = $0.categoryWait
                $0.lease = $0.lease
                $0.acrossRoutes = $0.acrossRoutes
                $0.limit = $0.limit
                $0.bytes = $0.bytes
                $0.whenFull = $0.whenFull
                $0.bodyLimit = $0.bodyLimit
                $0.resultLimit = $0.resultLimit
                $0.age = $0.age
                $0.resultAge = $0.resultAge
            },
            [
                "path", "store", "schema", "mode", "methods", "failures", "idempotencyKey", "storeCredentials",
                "acrossRoutes",
                "automatic", "probe",
                "concurrency", "spread", "delay", "delayLimit", "attempts", "rejections", "categoryWait", "lease",
                "limit", "bytes", "whenFull", "bodyLimit", "resultLimit", "age", "resultAge",
            ]
        ),
        (
            "limit",
            .limit {
                $0.rules = $0.rules
                $0.wait = $0.wait
                $0.waiters = $0.waiters
                $0.keys = $0.keys
                $0.learn = $0.learn
                $0.pauseLimit = $0.pauseLimit
                $0.shared = $0.shared
            },
            ["rules", "wait", "waiters", "keys", "learn", "pauseLimit", "shared"]
        ),
        (
            "resume",
            .resume {
                $0.attempts = $0.attempts
                $0.delay = $0.delay
                $0.delayLimit = $0.delayLimit
                $0.repeatLimit = $0.repeatLimit
            },
            ["attempts", "delay", "delayLimit", "repeatLimit"]
        ),
        (
            "retry",
            .retry {
                $0.attempts = $0.attempts
                $0.delay = $0.delay
                $0.delayLimit = $0.delayLimit
                $0.jitter = $0.jitter
                $0.totalTime = $0.totalTime
                $0.statuses = $0.statuses
                $0.failures = $0.failures
                $0.methods = $0.methods
                $0.idempotencyKey = $0.idempotencyKey
                $0.respectRetryAfter = $0.respectRetryAfter
                $0.retryAfterLimit = $0.retryAfterLimit
                $0.budget = $0.budget
                $0.budgetShare = $0.budgetShare
                $0.budgetPerSecond = $0.budgetPerSecond
                $0.budgetSize = $0.budgetSize
                $0.circuitBreaker = $0.circuitBreaker
                $0.circuitFailures = $0.circuitFailures
                $0.circuitOpenTime = $0.circuitOpenTime
                $0.circuitProbes = $0.circuitProbes
                $0.shared = $0.shared
                $0.circuitPeers = $0.circuitPeers
            },
            [
                "attempts", "delay", "delayLimit", "jitter", "totalTime", "statuses", "failures", "methods",
                "idempotencyKey", "respectRetryAfter", "retryAfterLimit", "budget", "budgetShare", "budgetPerSecond",
                "budgetSize", "circuitBreaker", "circuitFailures", "circuitOpenTime", "circuitProbes", "shared",
                "circuitPeers",
            ]
        ),
        (
            "validator",
            .validator {
                $0.schemas = $0.schemas
                $0.shapes = $0.shapes
                $0.requests = $0.requests
                $0.documents = $0.documents
                $0.openapi = $0.openapi
                $0.checksOperationRequests = $0.checksOperationRequests
                $0.mode = $0.mode
                $0.draft = $0.draft
                $0.formats = $0.formats
                $0.limit = $0.limit
                $0.passesLarger = $0.passesLarger
                $0.contents = $0.contents
                $0.streams = $0.streams
                $0.showsValues = $0.showsValues
                $0.stored = $0.stored
                $0.fetch = $0.fetch
                $0.fetchSize = $0.fetchSize
                $0.fetchCount = $0.fetchCount
            },
            [
                "schemas", "shapes", "requests", "documents", "openapi", "checksOperationRequests", "mode", "draft",
                "formats",
                "limit", "passesLarger", "streams", "showsValues", "stored", "fetch", "fetchSize", "fetchCount",
                "contents",
            ]
        ),
    ]
}
