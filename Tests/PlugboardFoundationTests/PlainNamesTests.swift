import Foundation
import Plugboard
import PlugboardAuthenticationOptions
import PlugboardCacheOptions
import PlugboardCookiesOptions
import PlugboardCore
import PlugboardDecodeOptions
import PlugboardEventLoop
import PlugboardIndicatorOptions
import PlugboardJSON
import PlugboardKit
import PlugboardLoggingOptions
import PlugboardMessages
import PlugboardQueueOptions
import PlugboardRedirectOptions
import PlugboardResumeOptions
import PlugboardRetryOptions
import PlugboardTesting
import PlugboardTransport
import PlugboardValidatorOptions
import PluginLoader
import Testing

/// A file that imports Foundation and all of Plugboard uses every public type by its plain name: that it compiles is
/// half of the test.
@Suite struct PlainNamesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `every public type is named here`() throws {
        let here = try String(contentsOfFile: #filePath, encoding: .utf8)
        let named = Set(here.matches(of: /= (\w+)$/.anchorsMatchLineEndings()).map { String($0.1) })
        var missing: [String] = []
        for file in try Self.sources() {
            let types = try String(contentsOf: file, encoding: .utf8).matches(of: Self.declaration).map { String($0.1) }
            missing += types.filter { !named.contains($0) }
        }

        #expect(missing == [])
        #expect(named.count > 100)
    }

    @Test func `the kernel's module exports each type of other modules that its declarations name`() throws {
        let exports = try String(
            contentsOf: Self.root.appending(path: "Sources/PlugboardCore/Exports.swift"), encoding: .utf8)
        let exported = Set(exports.matches(of: /@_exported import \w+ \w+\.(\w+)/).map { String($0.1) })
        var others: Set<String> = []
        for module in [
            "PlugboardKit", "PlugboardJSON", "PlugboardEventLoop", "PlugboardTransport", "PlugboardReachability",
        ] {
            for file in Self.files(of: Self.root.appending(path: "Sources/\(module)")) {
                let types = try String(contentsOf: file, encoding: .utf8).matches(of: Self.declaration)
                others.formUnion(types.map { String($0.1) })
            }
        }

        var missing: Set<String> = []
        for file in Self.files(of: Self.root.appending(path: "Sources/PlugboardCore")) {
            let text = try String(contentsOf: file, encoding: .utf8)
            for declaration in text.matches(of: /^ *public [^{=\n]*(?:\([^{]*\))?[^{=\n]*/.anchorsMatchLineEndings()) {
                let words = declaration.0.matches(of: /\b[A-Z]\w+/).map { String($0.0) }
                missing.formUnion(words.filter { others.contains($0) && !exported.contains($0) })
            }
        }

        #expect(missing == [])
        #expect(exported.count > 10)
    }

    /// Of the modules that programs, plugins and transports import.
    private static func sources() throws -> [URL] {
        let modules = [
            "PlugboardMessages", "PlugboardEventLoop", "PlugboardTransport", "PlugboardKit", "PlugboardCore",
            "Plugboard", "PluginLoader",
            "PlugboardTesting", "PlugboardJSON", "PlugboardCurl", "PlugboardReachability", "PlugboardCodecs",
        ].map { root.appending(path: "Sources/\($0)") }
        let plugins = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Plugins").path)
            .filter { !$0.hasSuffix(".md") }.map { root.appending(path: "Plugins/\($0)/Sources/Plugboard\($0)Options") }
        return (modules + plugins).flatMap(files)
    }

    private static func files(of folder: URL) -> [URL] {
        let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
        let swift = (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        // Of a folder that is not there nothing could be missing.
        precondition(!swift.isEmpty, "\(folder.path) has no Swift file.")
        return swift
    }

    /// A public type of a module, by its name.
    private static var declaration: Regex<(Substring, Substring)> {
        /^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:final |indirect )*(?:struct|class|enum|protocol|actor) (\w+)/
            .anchorsMatchLineEndings()
    }
}

private enum OfMessages {
    typealias PlainAttributes = Attributes
    typealias PlainBase64 = Base64
    typealias PlainBody = Body
    typealias PlainBodySource = BodySource
    typealias PlainByteCount = ByteCount
    typealias PlainBytes = Bytes
    typealias PlainDurationText = DurationText
    typealias PlainFieldName = FieldName
    typealias PlainFields = Fields
    typealias PlainHTTPDate = HTTPDate
    typealias PlainLogLevel = LogLevel
    typealias PlainMethod = Method
    typealias PlainNormalURL = NormalURL
    typealias PlainOrigin = Origin
    typealias PlainPiece = Piece
    typealias PlainPlugboardError = PlugboardError
    typealias PlainPrintable = Printable
    typealias PlainPull = Pull
    typealias PlainPullReceiver = PullReceiver
    typealias PlainRequest = Request
    typealias PlainRequestOptions = RequestOptions
    typealias PlainResponse = Response
    typealias PlainRequestNotice = RequestNotice
    typealias PlainRequestSender = RequestSender
    typealias PlainResponseExcerpt = ResponseExcerpt
    typealias PlainResponseHead = ResponseHead
    typealias PlainTimings = Timings
    typealias PlainTransferProgress = TransferProgress
    typealias PlainURLParts = URLParts
}

private enum OfEventLoop {
    typealias PlainEventLoop = EventLoop
    typealias PlainLoopExecutor = LoopExecutor
    typealias PlainLoopParticipant = LoopParticipant
    typealias PlainLoopTimer = LoopTimer
    typealias PlainManualClock = ManualClock
    typealias PlainReadiness = Readiness
}

private enum OfTransporting {
    typealias PlainAttempt = Attempt
    typealias PlainAttemptObserver = AttemptObserver
    typealias PlainAttemptRequest = AttemptRequest
    typealias PlainAttemptPhase = AttemptPhase
    typealias PlainMilestone = Milestone
    typealias PlainTransport = Transport
}

private enum OfPlugboardKit {
    typealias PlainSubResponse = SubResponse
    typealias PlainAttributeKey = AttributeKey
    typealias PlainAttributeTable = AttributeTable
    typealias PlainBodyTransformer = BodyTransformer
    typealias PlainCommandReply = CommandReply
    typealias PlainCommandDefinition = CommandDefinition
    typealias PlainEvent = Event
    typealias PlainExchange = Exchange
    typealias PlainFailurePhase = FailurePhase
    typealias PlainFailureVerdict = FailureVerdict
    typealias PlainHead = Head
    typealias PlainHoldingPhase = HoldingPhase
    typealias PlainHooks = Hooks
    typealias PlainInheritance = Inheritance
    typealias PlainInnerBody = InnerBody
    typealias PlainManifest = Manifest
    typealias PlainMetric = Metric
    typealias PlainNoSettings = NoSettings
    typealias PlainOptionDefinition = OptionDefinition
    typealias PlainOptionForm = OptionForm
    typealias PlainOptionKind = OptionKind
    typealias PlainOptionValue = OptionValue
    typealias PlainTurnOutcome = TurnOutcome
    typealias PlainPlugin = Plugin
    typealias PlainPluginCommands = PluginCommands
    typealias PlainPluginDescriptor = PluginDescriptor
    typealias PlainPluginHost = PluginHost
    typealias PlainPluginInstance = PluginInstance
    typealias PlainPluginSettings = PluginSettings
    typealias PlainReply = Reply
    typealias PlainRequestAttributes = RequestAttributes
    typealias PlainRequestPhase = RequestPhase
    typealias PlainRequestVerdict = RequestVerdict
    typealias PlainResendingPhase = ResendingPhase
    typealias PlainResponsePhase = ResponsePhase
    typealias PlainResponseVerdict = ResponseVerdict
    typealias PlainRoute = Route
    typealias PlainSetting = Setting
    typealias PlainSubRequest = SubRequest
    typealias PlainSubRequestStart = SubRequestStart
    typealias PlainTicket = Ticket
    typealias PlainVerdict = Verdict
    typealias PlainVisit = Visit
    typealias PlainWordOption = WordOption
    typealias PlainNamedOption = NamedOption
}

private enum OfPlugboardCore {
    typealias PlainCatalog = Catalog
    typealias PlainConfiguration = Configuration
    typealias PlainConfigurationFault = ConfigurationError
    typealias PlainEnabledPlugin = EnabledPlugin
    typealias PlainObservedEvent = ObservedEvent
    typealias PlainLoggedExchange = LoggedExchange
    typealias PlainExplanation = Explanation
    typealias PlainExchangeHandle = ExchangeHandle
    typealias PlainHookCall = HookCall
    typealias PlainKernel = Kernel
    typealias PlainKernelEvent = KernelEvent
    typealias PlainKernelLog = KernelLog
    typealias PlainKernelSettings = KernelSettings
    typealias PlainLoopCount = LoopCount
    typealias PlainPluginFileLoader = PluginFileLoader
    typealias PlainPluginEntry = PluginEntry
    typealias PlainPluginFile = PluginFile
    typealias PlainTraceStep = TraceStep
    typealias PlainTracedSubRequest = TracedSubRequest
}

private enum OfReachability {
    typealias PlainNetworkState = NetworkState
    typealias PlainReachability = Reachability
}

private enum OfPluginLoader {
    typealias PlainDynamicLoader = DynamicLoader
}

private enum OfPlugboardTesting {
    typealias PlainScriptedTransport = ScriptedTransport
    typealias PlainWorkbench = Workbench
}

private enum OfCodecs {
    typealias PlainBodyLines = BodyLines
    typealias PlainCodec = Codec
    typealias PlainCodecSet = CodecSet
    typealias PlainFormCodec = FormCodec
    typealias PlainJSONCodec = JSONCodec
    typealias PlainModels = Models
    typealias PlainMultipartForm = MultipartForm
    typealias PlainParameterStyle = ParameterStyle
    typealias PlainParameterValue = ParameterValue
    typealias PlainParameters = Parameters
    typealias PlainRawCodec = RawCodec
    typealias PlainServerSentEvent = ServerSentEvent
    typealias PlainServerSentEventSettings = ServerSentEventSettings
    typealias PlainServerSentEventStream = ServerSentEventStream
    typealias PlainServerSentEvents = ServerSentEvents
    typealias PlainTextCodec = TextCodec
}

private enum OfJSON {
    typealias PlainJSONError = JSONError
    typealias PlainJSONNumber = JSONNumber
    typealias PlainJSONObject = JSONObject
    typealias PlainJSONParser = JSONParser
    typealias PlainJSONPath = JSONPath
    typealias PlainJSONPathElement = JSONPathElement
    typealias PlainJSONPosition = JSONPosition
    typealias PlainJSONValue = JSONValue
    typealias PlainJSONWriter = JSONWriter
    typealias PlainSpelling = Spelling
}

private enum OfAuthenticationOptions {
    typealias PlainAuthenticationSettings = AuthenticationSettings
    typealias PlainAuthenticationAttributes = AuthenticationAttributes
    typealias PlainAuthenticationCommands = AuthenticationCommands
    typealias PlainAuthenticationScheme = AuthenticationScheme
    typealias PlainCredentialStatus = CredentialStatus
    typealias PlainAccessToken = AccessToken
    typealias PlainTokenProvider = TokenProvider
    typealias PlainClientAuthentication = ClientAuthentication
}

private enum OfCacheOptions {
    typealias PlainCacheSettings = CacheSettings
    typealias PlainCacheAttributes = CacheAttributes
    typealias PlainCacheCommands = CacheCommands
    typealias PlainCacheKeyPart = CacheKeyPart
    typealias PlainCacheMode = CacheMode
    typealias PlainCacheSelection = CacheSelection
    typealias PlainCacheStatistics = CacheStatistics
    typealias PlainCachedAnswer = CachedResponse
}

private enum OfCookiesOptions {
    typealias PlainCookiesSettings = CookiesSettings
    typealias PlainCookieCommands = CookieCommands
    typealias PlainCookiesAttributes = CookiesAttributes
    typealias PlainStoredCookie = StoredCookie
}

private enum OfDecodeOptions {
    typealias PlainDecodeSettings = DecodeSettings
    typealias PlainDecodeAttributes = DecodeAttributes
}

private enum OfIndicatorOptions {
    typealias PlainIndicatorSettings = IndicatorSettings
    typealias PlainIndicatorAttributes = IndicatorAttributes
    typealias PlainIndicatorFact = IndicatorFact
    typealias PlainIndicatorFeed = IndicatorFeed
}

private enum OfLoggingOptions {
    typealias PlainLoggingSettings = LoggingSettings
    typealias PlainLoggingAttributes = LoggingAttributes
}

private enum OfRedirectOptions {
    typealias PlainRedirectSettings = RedirectSettings
    typealias PlainRedirectAttributes = RedirectAttributes
}

private enum OfRetryOptions {
    typealias PlainRetrySettings = RetrySettings
    typealias PlainOriginStatistics = OriginStatistics
    typealias PlainRetryAttributes = RetryAttributes
    typealias PlainRetryCommands = RetryCommands
}

private enum OfQueueOptions {
    typealias PlainQueueAttributes = QueueAttributes
    typealias PlainQueueMode = QueueMode
    typealias PlainQueueCollapse = QueueCollapse
    typealias PlainQueueCommands = QueueCommands
    typealias PlainQueueStatistics = QueueStatistics
    typealias PlainQueuedRequest = QueuedRequest
    typealias PlainQueueSettings = QueueSettings
    typealias PlainQueueOverflow = QueueOverflow
}

private enum OfResumeOptions {
    typealias PlainResumeAttributes = ResumeAttributes
    typealias PlainResumeSettings = ResumeSettings
}

private enum OfValidatorOptions {
    typealias PlainValidatorAttributes = ValidatorAttributes
    typealias PlainValidatorSettings = ValidatorSettings
    typealias PlainValidatorMode = ValidatorMode
    typealias PlainValidatorDraft = ValidatorDraft
}
