import Synchronization

/// The attempts of a scenario in order, and which of them still wait for an outcome.
final class ScenarioWire: Sendable {
    private struct Attempt {
        let sent: ScriptedTransport.Sent
        /// Nil once the attempt has its outcome, or is over.
        var complete: (@Sendable (ScriptedTransport.Outcome) -> Void)?
    }

    private let attempts = Mutex<[Attempt]>([])

    /// A transport whose attempts wait here for their outcomes.
    var transport: ScriptedTransport {
        ScriptedTransport { [self] sent, _, complete in
            let index = attempts.withLock { attempts in
                attempts.append(Attempt(sent: sent, complete: complete))
                return attempts.count - 1
            }
            return { [self] in attempts.withLock { $0[index].complete = nil } }
        }
    }

    var count: Int { attempts.withLock { $0.count } }

    /// The attempt of this number, counted from 0.
    subscript(index: Int) -> ScriptedTransport.Sent? {
        attempts.withLock { $0.indices.contains(index) ? $0[index].sent : nil }
    }

    /// The number of the first attempt that waits for its outcome, counted from 1.
    var firstOpen: Int? { attempts.withLock { $0.firstIndex { $0.complete != nil } }.map { $0 + 1 } }

    /// False if there is no attempt of this number, or if it has its outcome or is over.
    func complete(_ number: Int, _ outcome: ScriptedTransport.Outcome) -> Bool {
        let give = attempts.withLock { attempts in
            guard attempts.indices.contains(number - 1) else {
                return nil as (@Sendable (ScriptedTransport.Outcome) -> Void)?
            }
            defer { attempts[number - 1].complete = nil }
            return attempts[number - 1].complete
        }
        give?(outcome)
        return give != nil
    }
}
