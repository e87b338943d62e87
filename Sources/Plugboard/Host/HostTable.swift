import CPlugboard
import PlugboardKit

/// The functions behind `plug_host_v1`, the same for every plugin.
enum HostTable {
    static var functions: plug_host_v1 {
        var table = plug_host_v1()
        table.abi_revision = UInt32(PLUG_ABI_REVISION)
        setVerdicts(&table)
        setExchange(&table)
        setHeads(&table)
        setBodies(&table)
        setSubRequests(&table)
        setEvents(&table)
        setSettings(&table)
        setServices(&table)
        table.extension = { _, _ in nil }
        return table
    }

    // MARK: Verdicts

    private static func setVerdicts(_ table: inout plug_host_v1) {
        table.respond = { pointer, status, fields, count, body in
            let node = body.map { takeNode($0) }
            guard let exchange = steering(pointer), (200...999).contains(status) else { return PLUG_RESPOND }
            let head = ResponseHead(status: Int(status), fields: makeFields(fields, count))
            exchange.leave(.respond(Answered(head: head, body: node)))
            return PLUG_RESPOND
        }
        table.respond_with = { pointer, answer in
            guard let exchange = steering(pointer), let answer else { return PLUG_RESPOND }
            switch AnswerNode.from(answer).take() {
            case .success(let answer):
                exchange.leave(.respond(answer))
                return PLUG_RESPOND
            case .failure(let error):
                exchange.leave(.fail(error))
                return PLUG_FAIL
            }
        }
        table.resend = { pointer, after in
            guard let exchange = steering(pointer), exchange.canResend else { return PLUG_RESEND }
            exchange.leave(.resend(.nanoseconds(max(after, 0))))
            return PLUG_RESEND
        }
        table.hold = { pointer, limit in
            guard let exchange = steering(pointer), exchange.stage != .failure else { return PLUG_HOLD }
            exchange.leave(.hold(Int(clamping: limit)))
            return PLUG_HOLD
        }
        table.wait = { pointer, within, ticket in
            guard let exchange = steering(pointer), let ticket else { return PLUG_WAIT }
            ticket.pointee = exchange.core.tickets.add(exchange)
            let (deadline, isFar) = exchange.loop.now.addingReportingOverflow(within)
            exchange.leave(.wait(ticket.pointee, deadline: within < 0 || isFar ? nil : deadline))
            return PLUG_WAIT
        }
        table.fail = { pointer, code, reason in
            guard let exchange = steering(pointer) else { return PLUG_FAIL }
            let code = code.count == 0 ? .pluginFailed : PlugboardError.Code(code.string)
            exchange.leave(.fail(PlugboardError(code, reason.string)))
            return PLUG_FAIL
        }
        table.fault = { pointer, reason in
            steering(pointer)?.leave(.fail(PlugboardError(.pluginFault, "broke: \(reason.string)")))
            return PLUG_FAULT
        }
    }
}
