/// The system's words for an error number, such as "No such file or directory".
package func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }

/// The value of an environment variable; nil if it is not set.
package func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// The variables of the environment that name proxies, as libcurl reads them.
package let proxyVariables = ["http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]

/// The variable of the environment that names the proxy for https or http URLs; nil without one. Whether `no_proxy`
/// names the host does not count.
package func proxyVariable(isTLS: Bool) -> String? {
    let names = (isTLS ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
    return names.first { environment($0) ?? "" != "" }
}

/// An id that is different for each start of the system; empty if it cannot be read.
package let bootID = String(SmallFile.text(of: "/proc/sys/kernel/random/boot_id")?.prefix { $0 != "\n" } ?? "")

/// The time of one of the system's clocks, in nanoseconds. A clock beyond the year 2252 stands still there, so that ten
/// years can be added to it in 64 bits.
// Not inlined, because functions that hold its memory check their stack at each call.
@inline(never)
package func clockTime(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    clock_gettime(clock, &time)
    let latest: Int64 = (.max - 315_576_000_000_000_000) / 1_000_000_000
    return min(max(Int64(time.tv_sec), 0), latest) * 1_000_000_000 + Int64(time.tv_nsec)
}
