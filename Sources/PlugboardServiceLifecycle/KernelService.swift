#if AllPackages || ServiceLifecycle
    import PlugboardCore
    import ServiceLifecycle

    /// A kernel as a service, which is shut down when its group shuts down gracefully.
    ///
    ///     ServiceGroup(services: [kernel.service(within: .seconds(10)), server], logger: logger)
    ///
    /// A group shuts down the last service first: put the kernel before those that send requests.
    public struct KernelService: Service {
        private let kernel: Kernel
        private let limit: Duration

        init(_ kernel: Kernel, within limit: Duration) { (self.kernel, self.limit) = (kernel, limit) }

        /// Waits for the group's graceful shutdown, and then shuts the kernel down: exchanges under way have the limit
        /// to end. A task that is cancelled shuts it down at once. Never throws.
        public func run() async throws {
            do { try await gracefulShutdown() } catch { return await kernel.shutDown(within: .zero) }
            // A group that loses its patience cancels the task meanwhile.
            await withTaskCancellationHandler {
                await kernel.shutDown(within: limit)
            } onCancel: { [kernel] in
                Task { _ = await kernel.cancelExchanges { _ in true } }
            }
        }
    }

    extension Kernel {
        /// The kernel as a service that shuts down gracefully within a limit.
        public func service(within limit: Duration = .seconds(30)) -> KernelService {
            KernelService(self, within: limit)
        }
    }
#else
    #error(
        "PlugboardServiceLifecycle needs a trait of the package plugboard: .package(…, traits: [\"ServiceLifecycle\"])."
    )
#endif
