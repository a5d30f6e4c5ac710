import Diffable
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct AlignedTextTests {
    private func table(_ text: String, columns: [String]? = nil) throws -> Table {
        try Table(aligned: Array(text.utf8)[...], columns: columns)
    }

    /// Each row as its fields in the order of the columns.
    private func fields(_ text: String, columns: [String]? = nil) throws -> [[String]] {
        try table(text, columns: columns).rows.map { row in
            JSONView(row.content).members.map(\.value.plainText)
        }
    }

    @Test func `ps aux, in which a command takes the rest of the line`() throws {
        let ps = try table(ProgramOutput.ps)
        #expect(
            ps.columns == ["USER", "PID", "%CPU", "%MEM", "VSZ", "RSS", "TTY", "STAT", "START", "TIME", "COMMAND"])
        let rows = try fields(ProgramOutput.ps)
        #expect(rows[0].prefix(10) == ["root", "1", "0.4", "0.0", "51700", "20080", "?", "S<Ll", "17:48", "0:11"])
        #expect(rows[0][10] == "/sbin/init splash --log-level=info")
        #expect(rows[1][1...] == ["2", "0.0", "0.0", "0", "0", "?", "S", "17:48", "0:00", "[kthreadd]"])
        #expect(rows.last?[10] == "ps aux")
    }

    @Test func `ps aux, with numbers that are wider than their columns`() throws {
        let text = """
            USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
            root           1  0.0  0.1 168140 11264 ?        Ss   Nov20   0:05 /sbin/init splash
            systemd+  123456  0.0  0.0  90000  6000 ?        Ssl  Nov20   0:01 /lib/systemd/systemd-timesyncd
            me       1234567 12.3 14.5 1184839284 4712345 pts/12 Sl+ 09:15 123:45 /opt/chrome --type=renderer

            """
        #expect(
            try fields(text) == [
                ["root", "1", "0.0", "0.1", "168140", "11264", "?", "Ss", "Nov20", "0:05", "/sbin/init splash"],
                [
                    "systemd+", "123456", "0.0", "0.0", "90000", "6000", "?", "Ssl", "Nov20", "0:01",
                    "/lib/systemd/systemd-timesyncd",
                ],
                [
                    "me", "1234567", "12.3", "14.5", "1184839284", "4712345", "pts/12", "Sl+", "09:15", "123:45",
                    "/opt/chrome --type=renderer",
                ],
            ])
    }

    /// As `ps` prints: no column is cut, and what is too wide pushes the rest of its line to the right.
    @Test func `however wide values are, no word comes under another's name`() throws {
        var random = SplitMix64()
        let seed = random.seed
        let widths = [8, -6, -4, 7, -5]
        let names = ["USER", "PID", "%CPU", "TTY", "TIME", "COMMAND"]
        func line(_ fields: [String]) -> String {
            var line = ""
            for (field, width) in zip(fields, widths) {
                let space = String(repeating: " ", count: max(0, abs(width) - field.count))
                line += (width < 0 ? space + field : field + space) + " "
            }
            return line + fields[5]
        }
        var readable = 0
        for _ in 0..<500 {
            // One line shows how wide the columns are, as in any table of more than a few lines.
            let full = widths.map { String(repeating: "x", count: abs($0)) } + ["init"]
            let rows =
                [full]
                + (0..<Int.random(in: 1...5, using: &random)).map { _ in
                    widths.map { width in
                        String(repeating: "x", count: max(1, Int.random(in: 1...abs(width) + 3, using: &random) - 1))
                    } + [Bool.random(using: &random) ? "sh -c a b" : "init"]
                }
            let text = ([names] + rows).map { line($0) + "\n" }.joined()
            let fields = try? fields(text)
            if fields != nil { readable += 1 }
            #expect(fields == nil || fields == rows, "seed \(seed):\n\(text)")
        }
        #expect(readable > 400, "seed \(seed): refused is right, but not of use")
    }

    /// Whatever is taken for a table: nothing of a line gets lost but a mark in front, and nothing is made up.
    @Test func `what can be read has all that each line has, in its order`() throws {
        var random = SplitMix64()
        let seed = random.seed
        var readable = 0
        for _ in 0..<3_000 {
            let letters: [Character] = ["a", "b", "C", " ", " ", " ", "\n"]
            let length = Int.random(in: 0...40, using: &random)
            let text = "A B" + String((0..<length).map { _ in letters.randomElement(using: &random) ?? " " })
            guard let table = try? AlignedText(Array(text.utf8)[...], columns: nil) else { continue }
            readable += 1
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            for record in table.records {
                #expect(record.fields.count == table.columns.count, "seed \(seed): \(text.debugDescription)")
                let line = lines[record.line - 1].filter { $0 != " " }
                let fields = String(decoding: record.fields.joined(), as: UTF8.self).filter { $0 != " " }
                #expect(line == fields, "seed \(seed): \(text.debugDescription)")
            }
        }
        #expect(readable > 1_000, "seed \(seed)")
    }

    @Test func `df, whose last column has two words`() throws {
        let df = try table(ProgramOutput.df)
        #expect(df.columns == ["Filesystem", "1K-blocks", "Used", "Available", "Use%", "Mounted on"])
        #expect(
            try fields(ProgramOutput.df)[2] == ["/dev/vda", "264212084", "22056796", "77008816", "23%", "/"])
        #expect(try fields(ProgramOutput.df)[3].last == "/srv/my files")
        let short = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/a             1    0         1   0% /\n"
        #expect(try table(short).columns.last == "Mounted on")
        #expect(try fields(short) == [["/dev/a", "1", "0", "1", "0%", "/"]])
    }

    @Test func `systemctl, with marks in front and an explanation behind`() throws {
        let units = try table(ProgramOutput.systemctl)
        #expect(units.columns == ["UNIT", "LOAD", "ACTIVE", "SUB", "DESCRIPTION"])
        #expect(
            try fields(ProgramOutput.systemctl) == [
                ["dev-hugepages.mount", "masked", "inactive", "dead", "dev-hugepages.mount"],
                ["dev-mqueue.mount", "masked", "inactive", "dead", "dev-mqueue.mount"],
                ["-.mount", "loaded", "active", "mounted", "Root Mount"],
                ["systemd-journald.service", "loaded", "active", "running", "Journal Service"],
            ])
    }

    @Test func `ls -l, which has no header`() throws {
        let list = try read(ProgramOutput.ls, as: .columns)
        #expect(list.itemIdentifiers == ["bin -> usr/bin", "boot", "container_info.json", "dev", "etc"])
        #expect(
            list.content("boot")
                == #"{"mode":"drwxr-xr-x","links":"2","owner":"root","group":"root","size":"4096","modified":"May  9  2025","name":"boot"}"#
        )
        #expect(try fields(ProgramOutput.lsISO)[0][5...] == ["2026-11-22 17:51", "bin"])
        #expect(try fields(ProgramOutput.lsDevices)[0][4...] == ["10, 235", "Nov 20 21:50", "autofs"])
        #expect(
            try fields("total 4\n-rw-r--r-- 1 me me 5 2026-11-22 17:51:31.123456789 +0100  two  blanks\n")[0][5...]
                == ["2026-11-22 17:51:31.123456789 +0100", " two  blanks"])
        #expect(try table("total 0\n").rows.isEmpty)
        let names = ["m", "l", "o", "g", "s", "t", "n"]
        #expect(try table(ProgramOutput.ls, columns: names).columns == names)
    }

    @Test func `names and values of several words stay together where the lines leave a gap`() throws {
        let docker = try table(ProgramOutput.docker)
        #expect(docker.columns == ["CONTAINER ID", "IMAGE", "COMMAND", "CREATED", "STATUS", "PORTS", "NAMES"])
        #expect(
            try fields(ProgramOutput.docker)[1] == [
                "d7886598dbe2", "crosbymichael/redis:latest", "/redis-server --dir", "33 minutes ago", "Up 33 minutes",
                "6379/tcp", "redis,webapp/db",
            ])
    }

    @Test func `a first column without a name is called so, and what is missing at the end is empty`() throws {
        #expect(try table(ProgramOutput.free).columns.prefix(2) == ["name", "total"])
        #expect(try fields(ProgramOutput.free)[1] == ["Swap:", "0", "0", "0", "", "", ""])
        #expect(try fields(ProgramOutput.lsblk)[0] == ["zram0", "253:0", "0", "0B", "0", "disk", ""])
    }

    @Test func `columns may be named when there is no header`() throws {
        #expect(
            try fields("  3 apples and pears\n 12 nuts\n", columns: ["count", "what"]) == [
                ["3", "apples and pears"], ["12", "nuts"],
            ])
        #expect(
            complaint("3 apples\n12\n", as: .columns, columns: ["count", "what"])
                == "line 2: 1 word, but 2 columns were named")
    }

    @Test func `what cannot be told is refused with its line, and no header is said`() {
        #expect(complaint("", as: .columns).hasPrefix("no header line"))
        let text = "A B C  D\n1 2 3  x\n11112  y\n"
        #expect(complaint(text, as: .columns).hasPrefix("line 3: which words belong to which of the columns"))
    }

    @Test func `parents that ps does not show are at the top when that is said`() throws {
        let fields = Arrangement.Fields(id: "PID", parent: "PPID")
        #expect(complaint(ProgramOutput.psFull, as: .columns, fields).contains("--orphans top"))
        let reader = InputReader(format: .columns, fields: fields, orphans: .top)
        guard case .whole(let whole) = try reader.read(Array(ProgramOutput.psFull.utf8)) else { return }
        #expect(try Snapshot(whole).visualDescription == "main\n    1\n  ▸ 2\n      3\n      4\n")
    }
}
