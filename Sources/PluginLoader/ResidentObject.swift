import CPlugboard
import CPlugboardLtdl
import PlugboardKit
import PlugboardSystem

/// A shared object in this process. It stays until the process ends, because closing an object written in Swift, Go or
/// Rust leads to crashes later.
///
/// All functions need `DynamicLoader`'s lock, because libltdl is not thread-safe.
struct ResidentObject {
    private let path: String
    private let handle: lt_dlhandle

    /// Loads a file by its absolute path. Its constructors run, and those of the libraries that it needs.
    ///
    /// The system's loader opens it first and binds all functions. libltdl binds lazily, so that a missing function
    /// would end the process at its first call, and reports every error as "file not found".
    static func bind(_ path: String) throws(PlugboardError) {
        let opening = Opening(path)
        if cltdl_is_main_thread() == 1 { opening.run() } else { opening.runOnThread() }
        if let error = opening.error { throw refusal(path, error) }
    }

    /// Opens an object that is already bound with libltdl.
    init(path: String) throws(PlugboardError) {
        guard ResidentObject.initialErrors == 0 else { throw ResidentObject.ltdlRefusal(path) }
        var advice: lt_dladvise?
        guard lt_dladvise_init(&advice) == 0 else { throw ResidentObject.ltdlRefusal(path) }
        defer { lt_dladvise_destroy(&advice) }
        // Without `ext`, libltdl tries this path only, and no `.la` file next to it.
        guard lt_dladvise_local(&advice) == 0, lt_dladvise_resident(&advice) == 0,
            let handle = lt_dlopenadvise(path, advice)
        else { throw ResidentObject.ltdlRefusal(path) }
        self.path = path
        self.handle = handle
    }

    /// Calls the entry function and checks the descriptor that it returns.
    func descriptor(from entry: String) throws(PlugboardError) -> PluginDescriptor {
        typealias Entry = @convention(c) () -> UnsafePointer<plug_plugin_v1>?
        guard let address = lt_dlsym(handle, entry) else { throw ResidentObject.ltdlRefusal(path) }
        do {
            return try PluginDescriptor(checking: unsafeBitCast(address, to: Entry.self)())
        } catch {
            throw PlugboardError(
                error.code, "\(error.reason) It was loaded from \(path).", underlying: error.underlying)
        }
    }

    /// Initializes libltdl, once in a process.
    private static let initialErrors = lt_dlinit()

    private static func refusal(_ path: String, _ text: String) -> PlugboardError {
        let lacksSymbol = ["undefined symbol", "not defined in file", "' not found (required by"].contains {
            text.contains($0)
        }
        guard lacksSymbol else {
            return PlugboardError(
                .loadingOpen,
                "The system's loader refused the plugin \(path). If it needs a library, install the library, or link "
                    + "the plugin with -Wl,-rpath; `ldd \(path)` shows what it needs.", underlying: text)
        }
        return PlugboardError(
            .loadingSymbols,
            "The plugin \(path) needs a function or variable that no library provides. Link it with the library that "
                + "has it; with -Wl,-z,defs the linker reports it.", underlying: text)
    }

    /// One call of `dlopen`.
    private final class Opening {
        private let path: String
        private(set) var error: String?

        init(_ path: String) { self.path = path }

        func run() {
            guard dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE) == nil else { return }
            error = dlerror().map { String(cString: $0) } ?? ""
        }

        /// Runs it on a thread of its own, and waits for its end.
        ///
        /// The constructor of Foundation calls `libdispatch_init` again, which binds the main queue to the calling
        /// thread. A worker thread would keep it, and nothing would run on the main queue and the main actor any more;
        /// a thread that ends gives it back. The main thread has it already, until it ends.
        func runOnThread() {
            var thread = pthread_t()
            // Safe: this thread waits until the other has ended.
            nonisolated(unsafe) let opening = self
            let code = BlockingThread.create(&thread) { opening.run() }
            guard code == 0 else {
                error = "There is no thread to load it: \(systemText(code))."
                return
            }
            pthread_join(thread, nil)
        }
    }

    private static func ltdlRefusal(_ path: String) -> PlugboardError {
        PlugboardError(
            .loadingOpen, "libltdl refused the plugin \(path), which the system's loader has opened.",
            underlying: lt_dlerror().map { String(cString: $0) })
    }
}
