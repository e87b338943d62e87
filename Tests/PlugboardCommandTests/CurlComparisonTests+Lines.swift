extension CurlCommandComparisonTests {
    /// A command line, how much it is used in comparison with others, and the situations in which it is compared.
    struct Line: CustomStringConvertible {
        let weight: Int
        let text: String
        let situations: [String]

        var description: String { text }

        /// - Parameter text: One line of the shell in each line. `$url` is added to those without a URL.
        static func all(weighing weight: Int, at situations: String..., of text: String) -> [Line] {
            text.split(separator: "\n").map { line in
                let isWhole = ["$base", "http:", "nothing"].contains { line.contains($0) }
                let words = isWhole ? String(line.replacing("nothing", with: "")) : "\(line) \"$url\""
                return Line(weight: weight, text: words, situations: situations)
            }
        }
    }

    /// A line in one situation.
    struct Run {
        let line: Line
        let situation: String

        /// How many lines one process has at most.
        private static let limit = 8
        /// What a line has that must be in a process of its own: it decides about the whole process, or about the lines
        /// that follow, or its result depends on the lines before it.
        private static let alone = [
            " <", "-b ", "-c ", "-C ", "-K", "-Z", "-v", "--next", "-:", "--url ", "--fail-early", "num_connects",
            "xyz",
            "--loc", "-I -d", "--stderr", "--trace", "--retry", "$base", "http:", "opts", "--clobber", "--no-clobber",
            "--cookie", "-z",
        ]

        private var isAlone: Bool { Run.alone.contains { " \(line.text)".contains($0) } }

        /// The runs in groups, each for one process.
        static func joined(_ runs: [Run]) -> [[Run]] {
            var groups = runs.filter(\.isAlone).map { [$0] }
            let rest = runs.filter { !$0.isAlone }
            for start in stride(from: 0, to: rest.count, by: limit) {
                groups.append(Array(rest[start..<min(start + limit, rest.count)]))
            }
            return groups
        }

        /// One command line for all runs. Each writes its exit status, because the process has only that of the last,
        /// and has files of its own.
        static func line(of runs: [Run]) -> String {
            if runs.count == 1 { return runs[0].text(of: "page.html") }
            let lines = runs.enumerated().map { index, run in
                var text = run.text(of: "page\(index).html")
                for option in ["-o ", "-D ", "--etag-save "] where !text.contains("\(option)/dev/null") {
                    text = text.replacing(option, with: "\(option)\(index)")
                }
                text = text.replacing("-o \(index)a/", with: "-o a\(index)/").replacing("-D \(index)-", with: "-D -")
                return text.contains("-w ") ? text : "-w '[%{exitcode}]' \(text)"
            }
            return lines.joined(separator: " --next ")
        }

        private func text(of page: String) -> String {
            line.text.replacing("$url", with: "$root/\(situation)/\(page)")
                .replacing("$base", with: "$root/\(situation)")
        }
    }

    static let everyday =
        Line.all(
            weighing: 20, at: "ok", "redirect", "missing", "busy",
            of: """
                -s
                -L
                -sSfL
                -fsSL -o out.txt
                -I
                -i
                -O
                -X POST -d '{"a":1}' -H 'Content-Type: application/json'
                -d a=1
                """)
        + Line.all(
            weighing: 10, at: "ok", "redirect",
            of: """
                -v
                -s -o out.txt
                -LO
                -sIL
                -iL
                -X POST
                -X PUT -d a=1
                -X DELETE
                -H 'Accept: application/json' -H 'Authorization: Bearer t' -L
                -L -X POST -d a=1
                -L -X PUT -d a=1
                -L -d a=1 -H 'Content-Type: application/json'
                -u me:secret -L
                -k
                --max-time 10 --connect-timeout 5
                --compressed
                -A 'Agent/1'
                -L -s -o /dev/null -w '%{url_effective} %{num_redirects} %{http_code}\\n'
                """)
        + Line.all(
            weighing: 10, at: "missing", "busy",
            of: """
                -s -o /dev/null -w '%{http_code}'
                -f -o out.txt
                -f -i
                --fail-with-body
                """)

    static let usual =
        Line.all(
            weighing: 3, at: "ok",
            of: """
                -F a=1 -F 'f=@data.txt;type=text/csv'
                -F 'f=<data.txt' --form-string 'b=@c'
                -T data.txt
                -T data.txt $base/
                -T - $base/up.txt < data.txt
                -X POST -T data.txt
                --data-binary @data.txt
                -d @data.txt
                -d @- < data.txt
                --data-raw '@x' -d '-'
                -d a -d b --data-binary @data.txt
                -G -d a=1 --data-urlencode 'q=x y&z'
                --json '{"a":1}' --json ',2'
                -d ''
                -b a=1
                -b cookies.txt
                -r 0-3
                -C - -o part.html
                -C - -O
                -D head.txt -o b.txt
                -s -D - -o /dev/null
                -sSi -X OPTIONS
                --create-dirs -o a/b/c.txt
                --output-dir new --create-dirs -O
                -H 'X-A: 1' -H 'X-B;' -H 'Accept:'
                -H 'Host: example.test'
                -4 --http1.1 -N
                -e http://other.test/
                -x http://$host
                -x $host -U pu:pp
                --resolve a.test:$port:127.0.0.1 http://a.test:$port/ok/x
                --connect-to a.test:80:127.0.0.1:$port http://a.test/ok/x
                -K opts
                -n
                --oauth2-bearer tok
                -w '%{http_code} %{size_download} %{content_type} %{method} %{scheme}\\n'
                -w '%{num_connects} %{ssl_verify_result} %{http_connect} %{size_header} %{filename_effective} %{urlnum}'
                """)
        + Line.all(
            weighing: 3, at: "redirect",
            of: """
                -L --max-redirs 1 -i
                -L --max-redirs 0
                -L -D h.txt -o b.txt
                -L -b 'a=1; b=2'
                -L --json '{"a":1}'
                -L -G --data-urlencode 'q=x y'
                -L --oauth2-bearer tok
                -L -e 'http://o/;auto'
                -L -T data.txt
                --post301 --post302 -L -d a=1
                --post302 -L -d a=1
                --location-trusted -u a:b
                --proto-redir '=https' -L
                -w '%{redirect_url}|%{response_code}|%header{content-type}'
                """)
        + Line.all(
            weighing: 3, at: "busy",
            of: """
                --retry 1 --retry-delay 1
                -f --retry 1 --retry-delay 1
                --retry 1 --retry-delay 1 -o out.txt
                --retry 1 --retry-delay 1 -i
                --retry 1 --retry-delay 1 -F 'f=<-' < data.txt
                -w '%{http_code} %{exitcode}' -f
                """)
        + Line.all(
            weighing: 3, at: "missing", of: "-f -O\n--remove-on-error -f -o o.txt\n-f -C - -o part.html\n-J -O -f")
        + Line.all(weighing: 3, at: "kept", of: "-L -F 'f=<-' < data.txt\n-L -F 'f=<data.txt'")
        + Line.all(weighing: 3, at: "named", of: "-OJ\n-O\n-J -O -L -R")

    static let rare =
        Line.all(
            weighing: 1, at: "ok",
            of: """
                -# -o o.txt
                -x ''
                --noproxy '*'
                --interface lo
                --netrc-file .netrc -L
                --netrc-optional
                -z 'Sun, 06 Nov 1994 08:49:37 GMT'
                -z 2001-01-01
                --etag-save e.txt
                --etag-compare etag.txt
                --etag-compare none --etag-save none
                --limit-rate 100k
                -Y 1 -y 30
                --max-filesize 5
                --max-filesize 5000
                --no-clobber -o data.txt
                --remote-name-all $base/a.txt $base/b.txt
                -O $base/a.txt -O $base/b.txt
                -o x.txt $base/a.txt $base/b.txt
                "$base/{a,b}.txt" -o 'f_#1.txt'
                "$base/[1-3].txt" -o '#1.txt' -s
                -g "$base/x[1]"
                $base/a --next -d x=1 $base/b
                -s $base/a -: -I $base/b
                --url $base/q -s
                --url-query 'a=b c'
                --fail-early -f $base/a $base/b
                -Z $base/a
                -w '%{header_json}' -s
                --tlsv1.2 --ciphers AES
                --proto '=https'
                --path-as-is $base/a/../b
                $base/a/../b
                --tcp-nodelay --no-keepalive --keepalive-time 3
                --xyz
                --loc
                --head --silent
                --stderr err.txt -sS
                -I -d a
                -I -X GET
                --raw
                -A ''
                -H 'Transfer-Encoding: chunked' -d abc
                -H 'Expect:' -T data.txt
                http://127.0.0.1:1/ -w '%{exitcode}'
                -s 'http://a b/'
                nothing
                -c jar.txt
                -b cookies.txt -c cookies.txt
                --anyauth -u a:b -d x=1
                -w '%{remote_ip}'
                -0
                --request-target /other
                --trace-ascii t.txt
                -F 'f=@data.txt;headers="X-A: b"' -F 'a=1;type=text/csv;headers=@fields.txt'
                -A x -w '%{size_request} %{num_certs}%{certs}'
                -A x -w '%{size_request}' -d abc
                -A x -w '%{size_request}' -T data.txt
                -G -d a=1 --url-query b=2
                """)
        + Line.all(weighing: 1, at: "redirect", of: "-L -A x -w '%{size_request}'")
        + Line.all(weighing: 1, at: "redirect", of: "-L -A x -w '%{size_request}' -d abc")
}
