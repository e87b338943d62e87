import PlugboardStore
import PlugboardTesting
import TestSupport
import Testing

@Suite(.enabled(if: RedisProcess.isAvailable, RedisProcess.skipped))
struct RedisContractTests {
    @Test(arguments: Linkage.allCases, StoreContract.cases)
    func `redis keeps the contract of all stores`(linkage: Linkage, part: StoreContract.Case) async throws {
        let scene = try RedisScene(await RedisProcess.shared.value.url, linkage)

        try await part.check(scene.contract)

        await scene.kernel.shutDown()
    }

    @Test func `a user with the rights of the README is enough`() async throws {
        let server = try await RedisProcess()
        let rights = try READMERights.words()
        try await server.command(["ACL", "SETUSER", "plugboard", "on", ">secret"] + rights)
        let scene = try RedisScene("unix://plugboard:secret@\(server.socket)?db=1")

        for part in StoreContract.cases { try await part.check(scene.contract) }

        #expect(!scene.log.lines.contains { $0.contains("secret") })
        await scene.kernel.shutDown()
    }
}
