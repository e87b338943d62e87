// Downloads a file and uploads it elsewhere; both continue where an earlier run has stopped.
//
//     ExampleTransfers https://example.com/image.iso image.iso https://example.com/archive/image.iso

import Plugboard
import PlugboardDownloads
import PlugboardUploads

let source = CommandLine.arguments[1]
let file = CommandLine.arguments[2]
let target = CommandLine.arguments[3]

let kernel = try Kernel(plugins: [.redirect, .resume, .retry])
do {
    var download = Download(Request(.get, source), to: file)
    download.segments = 4  // at the same time, where the server can do that
    download.progress = { print("downloading", $0.received, "of", $0.toReceive.map(String.init) ?? "?") }
    let received = try await download.run(with: kernel)
    print("downloaded \(received.count) bytes, of which \(received.resumed) were there")

    var upload = Upload(Request(.put, target), .file(file))
    upload.journal = "\(file).upload"  // so that the next process can continue
    upload.progress = { print("uploading", $0.sent, "of", $0.toSend.map(String.init) ?? "?") }
    let sent = try await upload.run(with: kernel)
    print("uploaded \(sent.count) bytes with status \(sent.response.status)")
} catch {
    print(error)  // what has arrived stays, and the next run continues
}
await kernel.shutDown()
