import Synchronization

/// What a scenario's plugins have sent, in order, and what of it is still to be answered.
final class ScenarioWire: Sendable {
    private struct Attempt {
        let sent: ScriptedTransport.Sent
        /// Nil once it is answered, or over.
        var answer: (@Sendable (ScriptedTransport.Outcome) -> Void)?
    }

    private let attempts = Mutex<[Attempt]>([])

    /// A transport that lets each attempt wait here for its answer.
    var transport: ScriptedTransport {
        ScriptedTransport { [self] sent, _, answer in
            let index = attempts.withLock { attempts in
                attempts.append(Attempt(sent: sent, answer: answer))
                return attempts.count - 1
            }
            return { [self] in attempts.withLock { $0[index].answer = nil } }
        }
    }

    var count: Int { attempts.withLock { $0.count } }

    /// The attempt of this number, counted from 0.
    subscript(index: Int) -> ScriptedTransport.Sent? {
        attempts.withLock { $0.indices.contains(index) ? $0[index].sent : nil }
    }

    /// The first that waits for its answer: its number, counted from 1.
    var firstOpen: Int? { attempts.withLock { $0.firstIndex { $0.answer != nil } }.map { $0 + 1 } }

    /// False if the attempt of this number is not there, was answered, or is over.
    func answer(_ number: Int, _ answer: ScriptedTransport.Outcome) -> Bool {
        let give = attempts.withLock { attempts in
            guard attempts.indices.contains(number - 1) else {
                return nil as (@Sendable (ScriptedTransport.Outcome) -> Void)?
            }
            defer { attempts[number - 1].answer = nil }
            return attempts[number - 1].answer
        }
        give?(answer)
        return give != nil
    }
}
