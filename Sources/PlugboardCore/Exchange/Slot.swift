import CPlugboard
import PlugboardKit
import Synchronization

/// One enabled plugin in its slot of the pipeline, with the functions that the kernel calls.
///
/// A class, so that a call copies no more than a pointer. Sendable because nothing in it changes but on the loop or under a lock, and the plugin's functions say which
/// thread they are for.
final class Slot: @unchecked Sendable {
    /// 0 is outermost.
    let index: Int
    /// That of the index, in words that have a bit for each slot.
    let bit: UInt64
    let id: String
    let hooks: Hooks
    let isSkippedOnFault: Bool
    /// Faults in a row after which it is switched off; nil for never.
    let faultLimit: Int?
    /// Exchanges with a fault since one went well. [loop]
    var faultsInARow = 0
    private let disabling = Mutex<PlugboardError?>(nil)
    let plugin: UnsafePointer<plug_plugin_v1>
    let instance: UnsafeMutableRawPointer
    let host: HostContext

    private typealias Hook = @convention(c) (UnsafeMutableRawPointer?, OpaquePointer?) -> UInt32
    private let onRequest: Hook?
    private let onResponse: Hook?
    private let onFailure: Hook?

    init(
        index: Int, descriptor: PluginDescriptor, instance: UnsafeMutableRawPointer, host: HostContext,
        onFault: PluginEntry.OnFault = .fail, faultLimit: Int = 0
    ) {
        self.index = index
        bit = 1 << UInt64(index)
        id = descriptor.id
        hooks = descriptor.hooks
        plugin = descriptor.raw
        self.instance = instance
        self.host = host
        isSkippedOnFault = onFault != .fail
        self.faultLimit = onFault == .disable ? faultLimit : nil
        onRequest = plugin.pointee.on_request
        onResponse = plugin.pointee.on_response
        onFailure = plugin.pointee.on_failure
    }

    /// Why it was switched off, if it was. [any]
    var disabled: PlugboardError? {
        get { disabling.withLock { $0 } }
        set { disabling.withLock { $0 = newValue } }
    }

    @inline(__always)
    func call(_ stage: Stage, _ exchange: OpaquePointer) -> UInt32 {
        switch stage {
        case .request: onRequest?(instance, exchange) ?? PLUG_NEXT
        case .response: onResponse?(instance, exchange) ?? PLUG_NEXT
        case .failure: onFailure?(instance, exchange) ?? PLUG_NEXT
        }
    }
}

extension UInt64 {
    /// The bits of the slots further out than one, which need not be there: there may be as many slots as bits.
    static func slots(before index: Int) -> UInt64 { index >= bitWidth ? .max : (1 << UInt64(index)) - 1 }
}

/// Which head is on its way.
enum Stage: Sendable {
    case request, response, failure

    func slots(_ pipeline: Pipeline) -> [Slot] {
        switch self {
        case .request: pipeline.requestSlots
        case .response: pipeline.responseSlots
        case .failure: pipeline.failureSlots
        }
    }
}
