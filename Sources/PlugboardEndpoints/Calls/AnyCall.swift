import PlugboardCore

/// A call of any value type, as registries, delegates and batches hold it.
public protocol AnyCall: AnyObject, Sendable {
    /// The number of the call.
    var id: CallID { get }
    /// The names by which the call is found.
    var labels: CallLabels { get }
    /// The origin of the request, if it is known before the request is made; nil for a batch and a chain.
    var origin: Origin? { get }
    /// The state of the call.
    var state: CallState { get }
    /// Why it did not succeed; nil while it is under way and after a success.
    var error: PlugboardError? { get }
    /// How many bytes were sent and received so far.
    var currentProgress: TransferProgress { get }

    /// Starts a waiting call; does nothing otherwise.
    func start()
    /// Ends the call at once: its state becomes `cancelled`, and neither success nor failure callbacks run. Does
    /// nothing if the call has ended.
    func cancel()
    /// Pauses hooks of plugins and the network until `resume`. The timeout of the exchange continues to run.
    func suspend()
    /// Continues a suspended call; does nothing otherwise.
    func resume()
    /// The text for people about an error, in the language of the client's messages.
    func message(for error: PlugboardError) -> String
    /// Returns when the call has ended with any outcome. Cancelling the task does not end the wait.
    func ended() async
}

extension AnyCall {
    /// The identifier in the labels: the name of this call.
    public var identifier: String? { labels.identifier }
    /// The group in the labels: the name of the calls that this call belongs to.
    public var group: String? { labels.group }
    /// The tag in the labels.
    public var tag: String? { labels.tag }
    /// The category in the labels.
    public var category: String? { labels.category }
    /// The user info in the labels: the program's own values.
    public var userInfo: [String: any Sendable] { labels.userInfo }
}

/// Receives the events of calls, in addition to or instead of callbacks. The call holds a delegate weakly, and an
/// accessory until the call ends. Methods run on the executor of the callbacks: success and failure after
/// `onCompletion`, the end after `onFinished`.
public protocol CallDelegate: AnyObject, Sendable {
    /// The call has started, or had started before the delegate was attached.
    func callDidStart(_ call: any AnyCall)
    /// The call was suspended.
    func callDidSuspend(_ call: any AnyCall)
    /// The call was resumed.
    func callDidResume(_ call: any AnyCall)
    /// The call has succeeded. `value` is of the call's type.
    func call(_ call: any AnyCall, didSucceed value: any Sendable)
    /// The call has failed.
    func call(_ call: any AnyCall, didFail error: PlugboardError)
    /// The call has ended: called after success, failure and cancellation, but not after an ignored response.
    func callDidFinish(_ call: any AnyCall)
    /// Bytes were sent or received.
    func call(_ call: any AnyCall, didProgress progress: TransferProgress)
}

extension CallDelegate {
    /// Does nothing.
    public func callDidStart(_ call: any AnyCall) {}
    /// Does nothing.
    public func callDidSuspend(_ call: any AnyCall) {}
    /// Does nothing.
    public func callDidResume(_ call: any AnyCall) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didSucceed value: any Sendable) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didFail error: PlugboardError) {}
    /// Does nothing.
    public func callDidFinish(_ call: any AnyCall) {}
    /// Does nothing.
    public func call(_ call: any AnyCall, didProgress progress: TransferProgress) {}
}
