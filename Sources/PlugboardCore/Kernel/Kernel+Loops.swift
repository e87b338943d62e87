import PlugboardBorder
internal import PlugboardCurl
import PlugboardEventLoop

extension Kernel {
    /// Makes the event loops of a kernel. After an error, none of them is left.
    static func makeLoops(_ count: Int, _ clock: ManualClock?) throws(PlugboardError) -> [EventLoop] {
        var loops: [EventLoop] = []
        do {
            for index in 0..<count {
                let name = index == 0 ? "plugboard" : "plugboard-\(index + 1)"
                loops.append(try EventLoop(name: name, number: index, clock: clock))
            }
        } catch {
            for loop in loops { loop.stop() }
            throw error
        }
        return loops
    }

    static func transportSettings(_ settings: KernelSettings, loops: Int) -> CurlTransportSettings {
        var transport = CurlTransportSettings()
        transport.idleConnections = max((settings.idleConnections + loops - 1) / loops, 1)
        transport.bodyQueueLimit = settings.bufferLimit
        transport.closeNotify = settings.closeNotify
        transport.wireLog = settings.wireLog
        return transport
    }
}
