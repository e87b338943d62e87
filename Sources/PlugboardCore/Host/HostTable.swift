import CPlugboard
import PlugboardBorder

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
        setWork(&table)
        // Revision 1 has no extensions yet.
        table.extension = { _, _ in nil }
        return table
    }

    // MARK: Verdicts

    private static func setVerdicts(_ table: inout plug_host_v1) {
        table.respond = { pointer, status, fields, count, body in
            let taken = takeNode(body)
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            guard let node = taken else {
                return exchange.refuse("respond", "its body was handed in before")
            }
            guard (200...999).contains(status) else {
                return exchange.refuse("respond", "the status \(status) is not one of 200 to 999")
            }
            do throws(PlugboardError) {
                let head = ResponseHead(status: Int(status), fields: try checkedFields(fields, count))
                exchange.keep(.respond(OutwardResponse(head: head, body: node?.adopted(by: exchange.home))))
                return PLUG_VERDICT_RESPOND
            } catch {
                return exchange.refuse("respond", error.reason)
            }
        }
        table.respond_with = { pointer, response in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            guard let response = SubResponseNode.from(response) else {
                return exchange.refuse("respond_with", "there is no sub-response")
            }
            switch response.take() {
            case .success(var response):
                response.isOfSubRequest = true
                response.body = response.body?.adopted(by: exchange.home)
                exchange.keep(.respond(response))
                return PLUG_VERDICT_RESPOND
            case .failure(let error):
                exchange.keep(.fail(error))
                return PLUG_VERDICT_FAIL
            }
        }
        table.resend = { pointer, after in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            guard exchange.steering.stage != .request else {
                return exchange.refuse("resend", "in onRequest nothing was sent yet")
            }
            guard exchange.canResend else {
                return exchange.refuse("resend", "the request's body has begun and cannot be rewound (canResend)")
            }
            exchange.keep(.resend(.nanoseconds(max(after, 0))))
            return PLUG_VERDICT_RESEND
        }
        table.hold = { pointer, limit in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            guard exchange.steering.stage != .failure else {
                return exchange.refuse("hold", "in onFailure there is no body")
            }
            exchange.keep(.hold(Int(clamping: limit)))
            return PLUG_VERDICT_HOLD
        }
        table.wait = { pointer, within, ticket in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            guard let ticket else {
                return exchange.refuse("wait", "its pointer for the ticket is NULL")
            }
            ticket.pointee = exchange.home.tickets.add(exchange)
            let (deadline, isFar) = exchange.loop.now.addingReportingOverflow(within)
            exchange.keep(.wait(ticket.pointee, deadline: within < 0 || isFar ? nil : deadline))
            return PLUG_VERDICT_WAIT
        }
        table.fail = { pointer, code, reason in
            guard let exchange = steering(pointer), let slot = exchange.frame.slot else { return PLUG_VERDICT_REFUSED }
            exchange.keep(.fail(PlugboardError(code, reason, plugin: slot.id)))
            return PLUG_VERDICT_FAIL
        }
        table.fault = { pointer, reason in
            guard let exchange = steering(pointer) else { return PLUG_VERDICT_REFUSED }
            exchange.keep(.fail(PlugboardError(.pluginFault, HostTable.faultClause(reason.clause))))
            return PLUG_VERDICT_FAULT
        }
    }

    /// The reason that a plugin's code gives for its fault. Shims write `it panicked: …`, which is kept.
    private static func faultClause(_ reason: String) -> String {
        if reason.isEmpty { return "it broke and gave no reason" }
        return reason.hasPrefix("it ") ? reason : "it broke: \(reason)"
    }
}
