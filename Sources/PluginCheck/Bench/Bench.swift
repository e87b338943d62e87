import CPlugboard
import PlugboardCore
import PlugboardKit
import PluginLoader

/// A kernel that runs the plugin under check.
final class Bench: Sendable {
    private let kernel: Kernel
    let transport: PlannedTransport
    private let clock: FastClock

    /// The check is untried if the plugin cannot be created.
    ///
    /// - Parameter isPlain: Whether the plugin has no neighbours.
    init(_ subject: Subject, isPlain: Bool = false) throws(CheckEnd) {
        let descriptor = try subject.descriptor()
        let settings = try subject.settings(descriptor)
        do throws(PlugboardError) {
            (kernel, transport, clock) = try Bench.start(subject, descriptor, settings, isPlain)
        } catch {
            throw .untried("it cannot be created: see the check defaults")
        }
    }

    /// Makes a bench as the other initializer does, but throws the kernel's error.
    init(_ subject: Subject, _ descriptor: PluginDescriptor, settings: JSONObject) throws(PlugboardError) {
        (kernel, transport, clock) = try Bench.start(subject, descriptor, settings, true)
    }

    private static func start(
        _ subject: Subject, _ descriptor: PluginDescriptor, _ settings: JSONObject, _ isPlain: Bool
    ) throws(PlugboardError) -> (Kernel, PlannedTransport, FastClock) {
        let neighbours = isPlain ? [] : Neighbour.all
        var configuration = Configuration(
            plugins: [PluginEntry(id: descriptor.id, path: nil, settings: settings)]
                + subject.companions.map { PluginEntry($0) } + neighbours.map(\.entry))
        configuration.kernel.dataDirectory = "\(subject.scratch)/data"
        // Checks know which thread is the loop's, and rely on one order of events.
        configuration.kernel.loops = 1
        let transport = PlannedTransport()
        let clock = FastClock(speed: subject.clockSpeed)
        let kernel = try Kernel(
            configuration: configuration,
            catalog: Catalog([Wiretap.install(descriptor)]), loader: .dynamic, transport: transport,
            // Logs at the lowest level, so that the plugin makes all its texts; they are not kept.
            log: KernelLog(level: .debug) { _, _, _ in }, clock: clock.clock)
        clock.start()
        return (kernel, transport, clock)
    }

    /// Runs one exchange to its end, as a program would, its body included.
    ///
    /// Fails the check at a fault of the plugin.
    ///
    /// - Parameter disturbance: What happens to the exchange from outside.
    func conclude(_ plan: Plan, _ disturbance: Disturbance? = nil) async throws(CheckEnd) -> Conclusion {
        Diary.now(plan.description + (disturbance.map { ", \($0)" } ?? ""))
        return try await run(plan, disturbance)
    }

    /// Runs an exchange without an entry in the diary, for many exchanges at once or in a row.
    ///
    /// - Parameter number: The plan's number in the transport, which keeps it; nil adds the plan for this exchange
    ///   only.
    func run(
        _ plan: Plan, _ disturbance: Disturbance? = nil, number: Int? = nil
    ) async throws(CheckEnd) -> Conclusion {
        let isOwn = number == nil
        let number = number ?? transport.add(plan)
        let request = Request(
            plan.method, PlannedTransport.url(number, plan), fields: plan.fields,
            body: plan.body.map { Body(PlannedSource($0)) }, attributes: plan.attributes)
        let handle =
            if let disturbance { kernel.begin(request) { disturbance.saw($0.id) } } else { kernel.begin(request) }
        disturbance?.strikes(handle)
        var conclusion = await Bench.conclusion(of: handle, reading: plan.reads) { disturbance?.saw("piece") }
        conclusion.sent = isOwn ? transport.remove(number) : transport.restart(number)
        disturbance?.rest()
        if let fault = conclusion.fault {
            throw .failed("\(plan.description): \(fault.hasSuffix(".") ? String(fault.dropLast()) : fault)")
        }
        return conclusion
    }

    private static func conclusion(
        of handle: ExchangeHandle, reading limit: Int?, _ sawPiece: () -> Void
    ) async -> Conclusion {
        let response: Response
        do throws(PlugboardError) {
            response = try await handle.response
        } catch {
            return Conclusion(head: .failed(error.code), fault: error.code == .pluginFault ? error.reason : nil)
        }
        var conclusion = Conclusion(head: .status(response.status))
        var pieces = response.body.makeAsyncIterator()
        var left = limit ?? .max
        do throws(PlugboardError) {
            while left > 0, let piece = try await pieces.next() {
                conclusion.body.add(piece)
                sawPiece()
                left -= 1
            }
            if left == 0 { response.body.source.release() }
        } catch {
            conclusion.breakage = error.code
            if error.code == .pluginFault { conclusion.fault = error.reason }
        }
        return conclusion
    }

    /// Calls a command of the plugin. Fails the check if the reply is the plugin's fault.
    func command(_ name: String, _ arguments: String) async throws(CheckEnd) {
        Diary.now("the command \(name) with \(arguments)")
        do throws(PlugboardError) {
            let reply = try await kernel.command(Wiretap.plugin.id.string, name, arguments)
            guard case .body(let body) = reply else { return }
            // The reply may have no end, such as that of a command that watches.
            let reading = Task.detached { try? await body.collect(upTo: .mebibytes(64)) }
            await linger()
            reading.cancel()
            _ = await reading.value
        } catch {
            // Any other error is a valid result, for example if the command refuses the arguments.
            if error.code == .pluginFault { throw .failed("the command \(name): \(error.reason)") }
        }
    }

    /// Shuts the kernel down, and fails the check if the wiretap has seen faults.
    func close() async throws(CheckEnd) {
        Diary.now("the shutdown")
        await kernel.shutDown(within: .seconds(30))
        clock.stop()
        // Threads of the plugin may release bodies late.
        for _ in 0..<10 where Wiretap.state.withLock({ $0.bodies > 0 }) { await linger() }
        let (faults, bodies) = Wiretap.state.withLock { ($0.faults, $0.bodies) }
        var kept = bodies > 0 ? ["\(bodies) bodies that it took or made were never released"] : []
        if bodies < 0 { kept = ["it handed in or released \(-bodies) bodies a second time"] }
        if let end = CheckEnd.failed(faults + kept) { throw end }
    }

    /// Gives threads of the plugin time to make late calls, before or after the kernel's end.
    func linger() async {
        try? await Task.sleep(for: .milliseconds(150))
    }
}
