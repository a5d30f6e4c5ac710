import Diffable
import TestSupport
import Testing

@testable import DiffableInput
@testable import diffablectl

struct AlignedTextTests {
    private func table(_ text: String, columns: [String]? = nil) throws -> Table {
        try Table(aligned: Array(text.utf8)[...], columns: columns)
    }

    private func fields(_ text: String, columns: [String]? = nil) throws -> [[String]] {
        try table(text, columns: columns).rows.map { row in
            JSONReader(row.content).members.map(\.value.plainText)
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

    /// `ps` cuts no column: a value that is too wide pushes the rest of its line to the right.
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
            // One full line shows the widths of the columns, as in most tables with several lines.
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

    /// Reading a table loses nothing of a line except a mark at its beginning, and invents nothing.
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
                == "line 2: the line has 1 word, but --columns names 2 columns")
    }

    @Test func `what cannot be told is refused with its line, and no header is said`() {
        #expect(complaint("", as: .columns).hasPrefix("the input is empty and has no header line"))
        let text = "A B C  D\n1 2 3  x\n11112  y\n"
        #expect(
            complaint(text, as: .columns).hasPrefix("line 3: cannot tell which words belong to the columns A, B, C."))
    }

    // MARK: - Right, or refused

    private func reading(_ text: String, columns: [String]? = nil) -> [[String]] {
        (try? fields(text, columns: columns)) ?? [["refused"]]
    }

    @Test func `a rule under the header tells the columns, and is no row`() throws {
        let pip = "Package    Version\n---------- -------\npip        23.2.1\nwheel      0.33.6\n"
        #expect(try fields(pip) == [["pip", "23.2.1"], ["wheel", "0.33.6"]])
        let sqlite = "id  a name      n\n--  ----------  -\n1   milk (2 l)  2\n2\n"
        #expect(try table(sqlite).columns == ["id", "a name", "n"])
        #expect(try fields(sqlite) == [["1", "milk (2 l)", "2"], ["2", "", ""]])
        #expect(try fields("NAME\n----\na b\n") == [["a b"]])
        #expect(try fields("NAME  SIZE\n----------\na     1\n") == [["a", "1"]], "one line under all")
        #expect(try fields("NAME  SIZE\n-     -\n") == [["-", "-"]], "values are no rule")
        #expect(reading("a    b\n---- ----\nlonger 1\n") == [["refused"]], "a value reaches into the next column")
        #expect(reading("total 2\nNAME SIZE\n---- ----\na    1\n") == [["refused"]])
    }

    @Test(arguments: [
        " id | name\n----+------\n  1 | milk\n(1 row)\n", "+----+\n| id |\n+----+\n| 1  |\n+----+\n",
        "┌────┬──────┐\n│ id │ name │\n├────┼──────┤\n│ 1  │ milk │\n└────┴──────┘\n",
        "| id | name |\n|----|------|\n| 1  | milk |\n",
        "||/ Name      Version\n+++-=========-=======\nii  adduser   3.134\n",
    ])
    func `lines between cells are refused`(text: String) {
        #expect(complaint(text, as: .columns).contains("a table with drawn borders"))
    }

    @Test func `one blank is part of a heading where columns are two blanks apart`() throws {
        let pods = """
            NAME    READY   STATUS    RESTARTS   AGE   IP           NODE     NOMINATED NODE   READINESS GATES
            web-1   1/1     Running   0          5d    10.244.0.5   node-1   <none>           <none>
            web-2   0/1     Pending   12         5d    <none>       <none>   node-7           <none>

            """
        #expect(
            try table(pods).columns
                == ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"])
        #expect(
            try fields(pods) == [
                ["web-1", "1/1", "Running", "0", "5d", "10.244.0.5", "node-1", "<none>", "<none>"],
                ["web-2", "0/1", "Pending", "12", "5d", "<none>", "<none>", "node-7", "<none>"],
            ])
        for names in [["a"], ["vol1", "v2"], ["volume1"], ["a-long-name", "b"]] {
            let text = "DRIVER    VOLUME NAME\n" + names.map { "local     \($0)\n" }.joined()
            #expect(try table(text).columns == ["DRIVER", "VOLUME NAME"])
            #expect(try fields(text) == names.map { ["local", $0] })
        }
        let stats = """
            CONTAINER ID   NAME   CPU %   MEM USAGE / LIMIT   MEM %   PIDS
            4c01db0b339c   web    0.00%   12MiB / 7GiB        0.20%   1

            """
        #expect(try table(stats).columns == ["CONTAINER ID", "NAME", "CPU %", "MEM USAGE / LIMIT", "MEM %", "PIDS"])
        #expect(try fields(stats) == [["4c01db0b339c", "web", "0.00%", "12MiB / 7GiB", "0.20%", "1"]])
    }

    @Test func `one blank separates columns where values are one blank apart`() throws {
        let ps = "    PID TTY          TIME CMD\n   1234 pts/0    00:00:00 bash\n   2345 pts/0    00:00:00 ps\n"
        #expect(try table(ps).columns == ["PID", "TTY", "TIME", "CMD"])
        #expect(try fields(ps)[0] == ["1234", "pts/0", "00:00:00", "bash"])
        let disks = "NAME  RM  SIZE RO TYPE MOUNTPOINTS\nzram0  0    0B  0 disk\nvda    0  256G  0 disk\n"
        #expect(try table(disks).columns == ["NAME", "RM", "SIZE", "RO", "TYPE", "MOUNTPOINTS"])
        #expect(try fields(disks)[1] == ["vda", "0", "256G", "0", "disk", ""])
        #expect(reading("NAME MOUNTPOINTS\nvda\nvdb\n") == [["refused"]], "nothing tells whether it is one name")
        #expect(try fields("DRIVER    VOLUME NAME\n").isEmpty)
    }

    @Test func `a heading whose words nothing tells apart is refused`() throws {
        let ss = """
            State  Recv-Q Send-Q Local Address:Port Peer Address:PortProcess
            LISTEN 0      128          0.0.0.0:2024      0.0.0.0:*

            """
        #expect(reading(ss) == [["refused"]], "Local, or Local Address:Port?")
        let log =
            "5cca32d docs are ten figures of a page\n7462266 The page begins\nd360911 What a start takes now, in a word or two\n"
        #expect(reading(log) == [["refused"]], "a sentence is no heading")
    }

    @Test func `a missing value never moves another one under its name`() {
        // Values push lines, and the second line has no TTY.
        #expect(reading("USER PID TTY   CMD\nroot 123456789 ?     init\nme   7         sh\n") == [["refused"]])
    }

    @Test func `columns are aligned by the screen, or by code points`() throws {
        let byScreen = """
            NAME  LABEL                     MOUNTPOINT
            sda1  a-long-label-of-a-disk    /
            sdb1  写真と動画のバックアップ  /mnt

            """
        #expect(try fields(byScreen)[1] == ["sdb1", "写真と動画のバックアップ", "/mnt"])
        let byPoints = """
            NAME          STATUS        AGE
            写真と動画の    Exited (0)    5d
            a             Up 2 hours    6d

            """.replacing("写真と動画の    ", with: "写真と動画の        ")
        #expect(try fields(byPoints) == [["写真と動画の", "Exited (0)", "5d"], ["a", "Up 2 hours", "6d"]])
        let marks = "NAME   STATUS   AGE\ncafe\u{301}   up       5d\nle\u{301}on   up       6d\n"
        #expect(try fields(marks).map { $0[1...] } == [["up", "5d"], ["up", "6d"]])
        let headings = "ファイル  使用  マウント\n/dev/vda   23%  /\n"
        #expect(try table(headings).columns == ["ファイル", "使用", "マウント"])
    }

    @Test func `columns that are others by each measure are refused`() {
        let text = "A B   C\n写真 x y\n"
        let words = complaint(text, as: .columns)
        #expect(words.contains("cannot tell which") || words == "main\n    写真  B=x C=y\n", "\(words)")
    }

    @Test(arguments: [
        "NAME   READY\na      1/1\n\nNAME   TYPE     PORT\nsvc    Cluster  80\n",
        "NAME SIZE\na    1\nNAME SIZE\nb    2\n",
        "Images space usage:\n\nREPOSITORY   TAG       SIZE\nweb          latest    5MB\n",
        "NAME SIZE\na    1\n\n---- ----\n",
        "total 0\n-rw-r--r-- 1 me me 5 Nov 28 15:49 a\n\nb:\ntotal 0\n",
        "a:\ntotal 4\n-rw-r--r-- 1 me me 5 Nov 28 15:49 x\n\nb:\ntotal 4\n-rw-r--r-- 1 me me 5 Nov 28 15:49 y\n",
    ])
    func `several tables are refused`(text: String) {
        let words = complaint(text, as: .columns)
        #expect(
            words.contains("a second table begins") || words.contains("not a line of ls -l of one directory"),
            "\(words)"
        )
    }

    @Test(arguments: [
        "lo               UNKNOWN        127.0.0.1/8 ::1/128\neth0             UP             10.0.0.2/24\n",
        "root     pts/0        2026-11-28 18:10 (10.0.0.1)\n", "      2 bread\n      1 milk\n", "  10  20 300 a.txt\n",
        " 18:10:49 up 1 day,  2:03,  1 user,  load average: 0.00, 0.01, 0.05\nUSER     TTY      FROM\nme       pts/0    -\n",
        "4.0K    ./a\n8.0K    .\n",
        "procs -----------memory---------- ---swap--\n r  b   swpd   free\n 1  0      0  12345\n",
        "Listing...\nadduser/stable,now 3.134 all\n", "SHELL=/bin/sh\nHOME=/root\n", "/etc\n/etc/apt\n",
        "root:x:0:0:root:/root:/bin/sh\n", "0e4a5ca48c7c86885cc0e0a41d88fccfe7ab93fb1479032651acc2299a2bc210  a\n",
        "Linux 6.1.0 (host)  11/28/26  _x86_64_\n\navg-cpu:  %user   %nice\n           1.0     0.0\n",
    ])
    func `a first line of values, or of a title, is no header`(text: String) {
        let words = complaint(text, as: .columns)
        #expect(
            words.contains("is not the name of a column") || words.contains("a second table"), "\(words)")
    }

    @Test func `netstat has a title, and without it two words in a heading`() throws {
        let table = """
            Proto Recv-Q Send-Q Local Address           Foreign Address         State
            tcp        0      0 0.0.0.0:22              0.0.0.0:*               LISTEN
            tcp6       0      0 :::22                   :::*                    LISTEN
            udp        0      0 0.0.0.0:68              0.0.0.0:*

            """
        #expect(reading("Active Internet connections (servers and established)\n\(table)") == [["refused"]])
        #expect(
            try self.table(table).columns == ["Proto", "Recv-Q", "Send-Q", "Local Address", "Foreign Address", "State"])
        #expect(try fields(table)[2] == ["udp", "0", "0", "0.0.0.0:68", "0.0.0.0:*", ""])
    }

    // MARK: - ls -l

    private func listed(_ lines: String...) -> [[String]] { reading(lines.map { $0 + "\n" }.joined()) }

    @Test func `ls -l, in which names have blanks`() {
        #expect(
            listed("total 76", "-rw-r--r--.  1 root   domain users        40893 Jan 31 16:34 Xorg.1.log")
                == [["-rw-r--r--.", "1", "root", "domain users", "40893", "Jan 31 16:34", "Xorg.1.log"]])
        #expect(
            listed(
                "-rw-r--r-- 1 root         domain users 5 Nov 28 15:49 a b",
                "-rw-r--r-- 1 jane doe     staff        7 Nov 28 15:49  c")
                == [
                    ["-rw-r--r--", "1", "root", "domain users", "5", "Nov 28 15:49", "a b"],
                    ["-rw-r--r--", "1", "jane doe", "staff", "7", "Nov 28 15:49", " c"],
                ])
        #expect(
            listed(
                "-rw-r--r-- 1 me   domain users 5 Nov 28 15:49 a", "-rw-r--r-- 1 root root         7 Nov 28 15:49 b")[
                    0][2...3]
                == ["me", "domain users"])
        #expect(listed("-rw-r--r-- 1 me domain users 5 Nov 28 15:49 a") == [["refused"]], "nothing tells which")
        #expect(
            listed("-rw-r--r-- 1 me   team 5 40893 Nov 28 15:49 a", "-rw-r--r-- 1 root root       7 Nov 28 15:49 b")[0][
                3...4]
                == ["team 5", "40893"])
        #expect(
            listed("-rw-r--r-- 1    0    0 5 Nov 28 15:49 a", "-rw-r--r-- 1 1000 1000 7 28. Nov 2025 b")[1][2...]
                == ["1000", "1000", "7", "28. Nov 2025", "b"])
        #expect(listed("-rw-r--r-- 1 me me 4.0K 11-28 15:49 a")[0][4...] == ["4.0K", "11-28 15:49", "a"])
        #expect(listed("drwxrwxr-x+ 1 me me 4096 11月 28 15:49 写真")[0][5...] == ["11月 28 15:49", "写真"])
    }

    @Test(arguments: [
        "total 8\n163 -rw-r--r-- 1 root root 5 Nov 28 15:49 a\n164 -rw-r--r-- 1 root root 2 Nov 28 15:49 b c\n",
        "total 8\n4.0K -rw-r--r-- 1 root root 5 Nov 28 15:49 a\n", "-rw-r--r-- 1 root 5 Nov 28 15:49 a\n",
        "-rw-r--r-- 1 root root unconfined_u:object_r:user_home_t:s0 5 Nov 28 15:49 a\n",
        "-rw-r--r-- 1 root root 5 1764344989 a\n",
        "-rw-r--r-- 1 me me 5 Nov 28 15:49 a\n-????????? ? ? ? ? ? b\n",
    ])
    func `other forms of ls are refused`(text: String) { #expect(reading(text) == [["refused"]]) }

    @Test func `parents that ps does not show are at the top when that is said`() throws {
        let fields = ItemBuilder.Fields(id: "PID", parent: "PPID")
        #expect(complaint(ProgramOutput.psFull, as: .columns, fields).contains("--orphans top"))
        let reader = InputReader(format: .columns, fields: fields, orphans: .top)
        guard case .whole(let whole) = try reader.read(Array(ProgramOutput.psFull.utf8)) else { return }
        #expect(try Snapshot(whole).visualDescription == "main\n    1\n  ▸ 2\n      3\n      4\n")
    }
}
