// Requests, responses, bodies and errors live in PlugboardKit, so that plugins can be written against it alone;
// programs get them with the kernel.
@_exported import PlugboardKit
