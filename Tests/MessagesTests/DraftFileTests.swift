import PlugboardSystem
import TestSupport
import Testing

struct DraftFileTests {
    @Test func `a file whose closing fails does not replace the earlier one, and is removed`() throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "old")

        let error = #expect(throws: DraftFile.Failure.self) {
            let draft = try DraftFile(folder.file("file"), mode: 0o600)
            try draft.appear(isSynced: false) { descriptor in
                close(descriptor)
                errno = EDQUOT
                return -1
            }
        }

        #expect(error?.number == EDQUOT)
        #expect(try folder.entries() == ["file"] && folder.read("file") == Array("old".utf8))
    }
}
