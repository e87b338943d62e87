/// The system's words for an error number, such as "No such file or directory".
package func systemText(_ number: Int32) -> String { String(cString: strerror(number)) }

/// The value of an environment variable; nil if it is not set.
package func environment(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

/// An id that is different for each start of the system; empty if it cannot be read.
package let bootID = String(SmallFile.text(of: "/proc/sys/kernel/random/boot_id")?.prefix { $0 != "\n" } ?? "")
