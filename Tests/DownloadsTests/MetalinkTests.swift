import Plugboard
import PlugboardMetalink
import TestSupport
import Testing

@testable import PlugboardDownloads

struct MetalinkTests {
    private static let digest = String(repeating: "ab", count: 32)

    private func document(_ inner: String, root: String = "xmlns=\"urn:ietf:params:xml:ns:metalink\"") -> Bytes {
        Bytes("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<metalink \(root)>\n\(inner)\n</metalink>\n")
    }

    @Test func `files have their names, sizes, digests, and URLs by priority`() throws {
        let metalink = try Metalink(
            document(
                """
                <published>2009-05-15T12:23:23Z</published> <!-- <file name="no"/> -->
                <file name="a/example &amp; more.ext">
                  <size> 14471447 </size>
                  <hash type="md5">\(String(repeating: "0", count: 32))</hash>
                  <hash type="sha-256">\(MetalinkTests.digest)</hash>
                  <pieces length="262144" type="sha-1"><hash>x</hash></pieces>
                  <pieces length="10000000" type="sha-256">
                    <hash>\(MetalinkTests.digest)</hash><hash>\(MetalinkTests.digest)</hash>
                  </pieces>
                  <url>http://c.test/x</url>
                  <url location="de" priority="2">https://b.test/x?a=1&#38;b=2</url>
                  <url priority='1'><![CDATA[http://a.test/x]]></url>
                  <url priority="1">ftp://a.test/x</url>
                  <metaurl mediatype="torrent">http://t.test/</metaurl>
                  <other:url xmlns:other="urn:x">http://no.test/</other:url>
                  <url xmlns="urn:x">http://no.test/</url>
                </file>
                <file name="second"><url>http://d.test/</url></file>
                """))

        #expect(metalink.files.map(\.name) == ["example & more.ext", "second"])
        #expect(metalink.files[0].size == .bytes(14_471_447))
        #expect(metalink.files[0].digest == ExpectedDigest("sha-256", MetalinkTests.digest))
        #expect(metalink.files[0].pieces?.length == 10_000_000 && metalink.files[1].pieces == nil)
        #expect(metalink.files[0].urls == ["http://a.test/x", "https://b.test/x?a=1&b=2", "http://c.test/x"])
        let download = metalink.files[0].download(in: "folder")
        #expect(download.file == "folder/example & more.ext" && download.mirrors.count == 2 && !download.replacesFile)
    }

    @Test func `a document may name its namespace by a prefix`() throws {
        let metalink = try Metalink(
            Bytes(
                "\u{FEFF}<m:metalink xmlns:m='urn:ietf:params:xml:ns:metalink'><m:file name='a'>"
                    + "<m:url>http://a.test/</m:url><url>http://no.test/</url></m:file></m:metalink>"))

        #expect(metalink.files.map(\.urls) == [["http://a.test/"]])
    }

    @Test func `what a response says of mirrors is read`() throws {
        let fields: Fields = [
            "Link": "<http://b.test/x>; rel=duplicate; pri=2, </y>;rel=\"duplicate other\";pri=1;geo=de",
            "Content-Type": "text/plain",
        ]
        var head = ResponseHead(status: 200, fields: fields)
        head.fields.append("Link", "<x.meta4>; rel=describedby; type=\"application/metalink4+xml\"")
        head.fields.append("Link", "<file:///etc/passwd>; rel=duplicate, <broken; rel=duplicate")

        let links = MirrorLinks(head, url: "https://a.test/folder/file")

        #expect(links.duplicates == ["https://a.test/y", "http://b.test/x"])
        let anchored: Fields = [
            "Link": "<http://b.test/1>; rel=duplicate; anchor=\"/other\", "
                + "<http://b.test/2>; anchor=\"\"; rel=duplicate, "
                + "<http://b.test/3>; rel=duplicate; anchor=\"https://a.test/folder/file\", "
                + "<http://b.test/4>; rel=duplicate; anchor=\"#part\", "
                + "<x.meta4>; rel=describedby; type=\"application/metalink4+xml\"; anchor=\"file2\""
        ]
        let own = MirrorLinks(ResponseHead(status: 200, fields: anchored), url: "https://a.test/folder/file")
        #expect(own.duplicates == ["http://b.test/2", "http://b.test/3"] && own.metalink == nil)
        #expect(links.metalink == "https://a.test/folder/x.meta4" && !links.isMetalink)
        let document = ResponseHead(status: 200, fields: ["Content-Type": "Application/Metalink4+XML; charset=utf-8"])
        #expect(MirrorLinks(document, url: "https://a.test/").isMetalink)
    }

    @Test func `a document is read in its declared encoding, and an unknown one is refused by its name`() throws {
        func declared(_ encoding: String) -> Bytes {
            let root = "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>"
            let start = "<?xml version='1.0' encoding='\(encoding)'?>\(root)<file name='a"
            return Bytes(Array(start.utf8) + [0xE9] + Array("'><url>http://a.test/</url></file></metalink>".utf8))
        }

        let error = #expect(throws: PlugboardError.self) { try Metalink(declared("EBCDIC-1")) }

        #expect(try Metalink(declared("ISO-8859-1")).files.map(\.name) == ["aé"])
        #expect(error?.code == .downloadMetalink && error?.reason.contains("EBCDIC-1") == true)
    }

    private static let refused: [String] = [
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><size>9</size><pieces length='5' type='sha-256'>"
            + "<hash>0</hash></pieces><url>http://a.test/</url></file></metalink>",
        "", "{}", "<metalink/>", "<metalink xmlns='urn:ietf:params:xml:ns:metalink'>", "<a></b>", "<a/><b/>",
        "text<a/>",
        "<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", "<a b=c/>", "<a b='1' b='2'/>", "<a>&nbsp;</a>", "<a>&#0;</a>",
        "<a>&#xD800;</a>", "<a>\u{1}</a>", "<a", "<a b", "<a b='", "<!-- ", "<a><![CDATA[", "<?xml", "<a>&", "</a>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='..'><url>http://a.test/</url></file></metalink>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><url>file:///etc/passwd</url></file></metalink>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><size>x</size></file></metalink>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><url>http://a.test/</url></file>"
            + "<file name='b/a'><url>http://a.test/</url></file></metalink>",
        "<metalink xmlns='urn:ietf:params:xml:ns:metalink'><file name='a'><hash type='sha-256'>12</hash>"
            + "<url>http://a.test/</url></file></metalink>",
        "<metalink xmlns='http://www.metalinker.org/'><file name='a'><url>http://a.test/</url></file></metalink>",
    ]

    @Test(arguments: refused)
    func `what is no Metalink document is refused with a reason`(text: String) {
        let error = #expect(throws: PlugboardError.self) { try Metalink(Bytes(text)) }

        #expect(error?.code == .downloadMetalink && error?.reason.isEmpty == false)
    }

    @Test func `a document that ends early, and deep nesting, are refused`() {
        #expect(throws: PlugboardError.self) { try Metalink(Bytes([0xFF, 0xFE, 0x3C, 0])) }
        #expect(throws: PlugboardError.self) { try Metalink(Bytes(String(repeating: "<a>", count: 100_000))) }
    }

    @Test func `a file of a document comes from the first server that has it, and is verified`() async throws {
        let folder = try TemporaryFolder()
        let content = RangeServer.content(40_000)
        let server = try RangeServer { _, request in
            switch request.path {
            case "/1": .init(404)
            case "/2": RangeServer.correct(request, RangeServer.content(40_000, seed: 6), tag: "\"b\"")
            default: RangeServer.correct(request, content)
            }
        }
        let urls = (1...3).map { "<url priority=\"\($0)\">\(server.url("/\($0)"))</url>" }.joined()
        let metalink = try Metalink(
            document(
                "<file name=\"../a.bin\"><hash type=\"sha-256\">\(Bytes(content).sha256)</hash>"
                    + "<size>40000</size>\(urls)</file>"))

        let result = try await metalink.files[0].download(in: folder.path).run(with: Kernel())

        #expect(result.file == folder.file("a.bin"))
        #expect(try folder.read("a.bin") == content)
        #expect(try folder.entries() == ["a.bin"])
    }
}
