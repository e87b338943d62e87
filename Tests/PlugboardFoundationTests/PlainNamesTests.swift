import AuthenticationOptions
import CacheOptions
import CookiesOptions
import CurlTransport
import DecodeOptions
import EventLoop
import Foundation
import JSON
import LoggingOptions
import Messages
import Plugboard
import PlugboardCore
import PlugboardKit
import PlugboardTesting
import PluginLoader
import RedirectOptions
import RetryOptions
import Testing
import Transporting

/// A file that imports Foundation and all of Plugboard uses every public type by its plain name: that it compiles is
/// half of the test.
@Suite struct PlainNamesTests {
    private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    @Test func `every public type is named here`() throws {
        let here = try String(contentsOfFile: #filePath, encoding: .utf8)
        let named = Set(here.matches(of: /= (\w+)$/.anchorsMatchLineEndings()).map { String($0.1) })
        let declaration =
            /^(?:@\w+(?:\([^)]*\))? )*(?:public|open) (?:final |indirect )*(?:struct|class|enum|protocol|actor) (\w+)/
            .anchorsMatchLineEndings()

        var missing: [String] = []
        for file in try Self.sources() {
            let types = try String(contentsOf: file, encoding: .utf8).matches(of: declaration).map { String($0.1) }
            missing += types.filter { !named.contains($0) }
        }

        #expect(missing == [])
        #expect(named.count > 100)
    }

    /// Of the modules that programs, plugins and transports import.
    private static func sources() throws -> [URL] {
        let modules = [
            "Messages", "EventLoop", "Transporting", "PlugboardKit", "PlugboardCore", "Plugboard", "PluginLoader",
            "PlugboardTesting", "JSON", "CurlTransport",
        ].map { root.appending(path: "Sources/\($0)") }
        let plugins = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "Plugins").path)
            .map { root.appending(path: "Plugins/\($0)/Sources/\($0)Options") }
        return (modules + plugins).flatMap { folder in
            let files = FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)
            return (files?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == "swift" }
        }
    }
}

private enum OfMessages {
    typealias PlainAttributes = Attributes
    typealias PlainBase64 = Base64
    typealias PlainBody = Body
    typealias PlainBodySource = BodySource
    typealias PlainByteCount = ByteCount
    typealias PlainBytes = Bytes
    typealias PlainFieldName = FieldName
    typealias PlainFields = Fields
    typealias PlainHTTPDate = HTTPDate
    typealias PlainLogLevel = LogLevel
    typealias PlainMethod = Method
    typealias PlainNormalURL = NormalURL
    typealias PlainOrigin = Origin
    typealias PlainPiece = Piece
    typealias PlainPlugboardError = PlugboardError
    typealias PlainPull = Pull
    typealias PlainPullReceiver = PullReceiver
    typealias PlainRequest = Request
    typealias PlainRequestOptions = RequestOptions
    typealias PlainResponse = Response
    typealias PlainResponseHead = ResponseHead
    typealias PlainSHA256 = SHA256
    typealias PlainTimings = Timings
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
    typealias PlainMilestone = Milestone
    typealias PlainTransferProgress = TransferProgress
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
    typealias PlainInnerBody = InnerBody
    typealias PlainManifest = Manifest
    typealias PlainNoSettings = NoSettings
    typealias PlainOptionDefinition = OptionDefinition
    typealias PlainOptionDescription = OptionDescription
    typealias PlainOptionValue = OptionValue
    typealias PlainOutcome = Outcome
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
    typealias PlainSetting = Setting
    typealias PlainSubRequest = SubRequest
    typealias PlainSubRequestStart = SubRequestStart
    typealias PlainTicket = Ticket
    typealias PlainVerdict = Verdict
    typealias PlainVisit = Visit
    typealias PlainWordOption = WordOption
}

private enum OfPlugboardCore {
    typealias PlainAbsentPlugin = AbsentPlugin
    typealias PlainAttributeCheck = AttributeCheck
    typealias PlainCatalog = Catalog
    typealias PlainConfiguration = Configuration
    typealias PlainConfigurationFault = ConfigurationError
    typealias PlainConfigurationSchema = ConfigurationSchema
    typealias PlainCrashNotes = CrashNotes
    typealias PlainEnabledPlugin = EnabledPlugin
    typealias PlainEventDetail = EventDetail
    typealias PlainExchangeEvent = ExchangeEvent
    typealias PlainExchangeHandle = ExchangeHandle
    typealias PlainHookCall = HookCall
    typealias PlainKernel = Kernel
    typealias PlainKernelEvent = KernelEvent
    typealias PlainKernelLog = KernelLog
    typealias PlainKernelSettings = KernelSettings
    typealias PlainLineup = Lineup
    typealias PlainLoader = Loader
    typealias PlainPluginEntry = PluginEntry
    typealias PlainPluginFile = PluginFile
    typealias PlainTraceStep = TraceStep
    typealias PlainTracedSubRequest = TracedSubRequest
}

private enum OfPluginLoader {
    typealias PlainDynamicLoader = DynamicLoader
}

private enum OfPlugboardTesting {
    typealias PlainScriptedTransport = ScriptedTransport
    typealias PlainWorkbench = Workbench
}

private enum OfJSON {
    typealias PlainJSONError = JSONError
    typealias PlainJSONNumber = JSONNumber
    typealias PlainJSONObject = JSONObject
    typealias PlainJSONParser = JSONParser
    typealias PlainJSONPath = JSONPath
    typealias PlainJSONPathElement = JSONPathElement
    typealias PlainJSONPosition = JSONPosition
    typealias PlainJSONPositions = JSONPositions
    typealias PlainJSONValue = JSONValue
    typealias PlainJSONWriter = JSONWriter
}

private enum OfCurlTransport {
    typealias PlainCurlAbilities = CurlAbilities
    typealias PlainCurlTransport = CurlTransport
    typealias PlainCurlTransportSettings = CurlTransportSettings
}

private enum OfAuthenticationOptions {
    typealias PlainAuthenticationSettings = AuthenticationSettings
    typealias PlainAuthenticationAttributes = AuthenticationAttributes
    typealias PlainAuthenticationCommands = AuthenticationCommands
    typealias PlainAuthenticationRequest = AuthenticationRequest
    typealias PlainAuthenticationScheme = AuthenticationScheme
    typealias PlainClientAuthentication = ClientAuthentication
}

private enum OfCacheOptions {
    typealias PlainCacheSettings = CacheSettings
    typealias PlainCacheAttributes = CacheAttributes
    typealias PlainCacheCommands = CacheCommands
    typealias PlainCacheKeyPart = CacheKeyPart
    typealias PlainCacheMode = CacheMode
    typealias PlainCacheRequest = CacheRequest
    typealias PlainCacheSelection = CacheSelection
    typealias PlainCacheStatistics = CacheStatistics
    typealias PlainCachedAnswer = CachedResponse
}

private enum OfCookiesOptions {
    typealias PlainCookiesSettings = CookiesSettings
    typealias PlainCookieCommands = CookieCommands
    typealias PlainCookiesAttributes = CookiesAttributes
    typealias PlainCookiesRequest = CookiesRequest
    typealias PlainStoredCookie = StoredCookie
}

private enum OfDecodeOptions {
    typealias PlainDecodeSettings = DecodeSettings
    typealias PlainDecodeAttributes = DecodeAttributes
    typealias PlainDecodeRequest = DecodeRequest
}

private enum OfLoggingOptions {
    typealias PlainLoggingSettings = LoggingSettings
    typealias PlainLoggingAttributes = LoggingAttributes
    typealias PlainLoggingRequest = LoggingRequest
}

private enum OfRedirectOptions {
    typealias PlainRedirectSettings = RedirectSettings
    typealias PlainRedirectAttributes = RedirectAttributes
    typealias PlainRedirectRequest = RedirectRequest
}

private enum OfRetryOptions {
    typealias PlainRetrySettings = RetrySettings
    typealias PlainRetryAttributes = RetryAttributes
    typealias PlainRetryCommands = RetryCommands
    typealias PlainRetryRequest = RetryRequest
}
