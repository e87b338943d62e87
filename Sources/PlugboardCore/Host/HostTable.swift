import CPlugboard
import PlugboardKit

/// The functions behind `plug_host_v1`, the same for every plugin.
enum HostTable {
    static var functions: plug_host_v1 {
        var table = plug_host_v1()
        table.abi_revision = PLUG_ABI_REVISION
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
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESPOND }
            guard (200...999).contains(status) else {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond", "the status \(status) is not one of 200 to 999")
            }
            do throws(PlugboardError) {
                let head = ResponseHead(status: Int(status), fields: try checkedFields(fields, count))
                exchange.leave(.respond(OutwardResponse(head: head, body: node)))
                return PLUG_VERDICT_RESPOND
            } catch {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond", error.reason)
            }
        }
        table.respond_with = { pointer, response in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESPOND }
            guard let response else {
                return exchange.refuse(PLUG_VERDICT_RESPOND, "respond_with", "there is no sub-response")
            }
            switch SubResponseNode.from(response).take() {
            case .success(var response):
                response.isOfSubRequest = true
                exchange.leave(.respond(response))
                return PLUG_VERDICT_RESPOND
            case .failure(let error):
                exchange.leave(.fail(error))
                return PLUG_VERDICT_FAIL
            }
        }
        table.resend = { pointer, after in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_RESEND }
            guard exchange.steering.stage != .request else {
                return exchange.refuse(PLUG_VERDICT_RESEND, "resend", "in onRequest nothing was sent yet")
            }
            guard exchange.canResend else {
                return exchange.refuse(
                    PLUG_VERDICT_RESEND, "resend", "the request's body has begun and cannot be rewound (canResend)")
            }
            exchange.leave(.resend(.nanoseconds(max(after, 0))))
            return PLUG_VERDICT_RESEND
        }
        table.hold = { pointer, limit in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_HOLD }
            guard exchange.steering.stage != .failure else {
                return exchange.refuse(PLUG_VERDICT_HOLD, "hold", "in onFailure there is no body")
            }
            exchange.leave(.hold(Int(clamping: limit)))
            return PLUG_VERDICT_HOLD
        }
        table.wait = { pointer, within, ticket in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_WAIT }
            guard let ticket else {
                return exchange.refuse(PLUG_VERDICT_WAIT, "wait", "its pointer for the ticket is NULL")
            }
            ticket.pointee = exchange.core.tickets.add(exchange)
            let (deadline, isFar) = exchange.loop.now.addingReportingOverflow(within)
            exchange.leave(.wait(ticket.pointee, deadline: within < 0 || isFar ? nil : deadline))
            return PLUG_VERDICT_WAIT
        }
        table.fail = { pointer, code, reason in
            guard let exchange = steering(pointer), let slot = exchange.frame.slot else { return PLUG_VERDICT_FAIL }
            exchange.leave(.fail(PlugboardError(code, reason, plugin: slot.id)))
            return PLUG_VERDICT_FAIL
        }
        table.fault = { pointer, reason in
            steering(pointer)?.leave(.fail(PlugboardError(.pluginFault, HostTable.faultClause(reason.clause))))
            return PLUG_VERDICT_FAULT
        }
    }

    /// What a plugin's code says when it broke. Shims say `it panicked: …`, which is left as it is.
    private static func faultClause(_ reason: String) -> String {
        if reason.isEmpty { return "it broke and gave no reason" }
        return reason.hasPrefix("it ") ? reason : "it broke: \(reason)"
    }
}
