import Diffable
import DiffableInput
import Systemd
import Testing

@testable import DiffableFeed

/// The contents of a file of feeds.
@Suite struct FeedFileTests {
    private func feeds(_ text: String) throws -> [FeedSettings] { try FeedFile(yaml: text, home: "/home/ada").feeds }

    private func refusal(of text: String) -> String {
        do {
            return "accepted: \(try feeds(text))"
        } catch {
            return "\(error)"
        }
    }

    @Test func `all keys of a command are read`() throws {
        let feed = try #require(
            feeds(
                """
                - list: ps
                  command: [ps, aux]
                  every: 2s
                  on: [~/x, /tmp/y]
                  timeout: 500ms
                  from: columns
                  id: .PID
                  section: .USER
                  parent: .PPID
                  text: .COMMAND
                  columns: [PID, USER]
                  numbers: [PID]
                  types: {RSS: number}
                  orphans: top
                  content: {icon: "📦", actions: [kill], n: 1, s: "1", t: true, z: null}
                  look: {title: Processes}
                  mode: "0640"
                  durability: volatile
                """
            ).first)
        var command = CommandSettings(words: ["ps", "aux"])
        command.every = .seconds(2)
        command.on = ["/home/ada/x", "/tmp/y"]
        command.timeout = .milliseconds(500)
        var expected = FeedSettings(list: "ps", source: .command(command))
        expected.rows.from = .columns
        expected.rows.fields = .init(
            id: FieldPath("PID"), section: FieldPath(".USER"), parent: FieldPath(".PPID"), text: FieldPath(".COMMAND"))
        expected.rows.fields.id = FieldPath(".PID")
        expected.rows.columns = ["PID", "USER"]
        expected.rows.numbers = "PID"
        expected.rows.types = "RSS=number"
        expected.rows.orphans = .top
        expected.constants = [
            ("icon", #""📦""#), ("actions", #"["kill"]"#), ("n", "1"), ("s", #""1""#), ("t", "true"), ("z", "null"),
        ].map { .init(name: $0, value: Content(Array($1.utf8))) }
        expected.look = Content(Array(#"{"title":"Processes"}"#.utf8))
        expected.mode = try AccessMode(octal: "0640")
        expected.durability = .volatile
        #expect(feed == expected)
    }

    @Test(arguments: ["", "\n", "---\n# nothing\n", "# - list: a\n"])
    func `an empty file is a mistake, so that a reload does not end all feeds`(text: String) {
        let message = "the file is empty: describe feeds, each beginning with `- list: NAME`, or write [] to run none"
        #expect(refusal(of: text) == message)
    }

    @Test func `a shell's line, streams, and no feeds are read`() throws {
        #expect(try feeds("[]").isEmpty)
        let shell = try #require(feeds("- list: a\n  command: ls | wc\n  shell: true\n  every: 1m").first)
        guard case .command(let command) = shell.source else { return }
        #expect(command.isShell && command.words.last?.hasSuffix("ls | wc") == true)
        let log = try #require(feeds("- list: a\n  command: [tail, -f]\n  stream: ndjson\n  from: lines").first)
        #expect(log.rows.from == .lines)
        let own = "- list: a\n  command: [ls]\n  every: 2s\n  from: ndjson\n  orphans: top"
        #expect(try feeds(own).first?.rows.orphans == .top)
        let stream = try #require(feeds("- list: a\n  command: [tail, -f]\n  stream: states").first)
        guard case .command(let command) = stream.source else { return }
        #expect(command.stream == .states)
    }

    @Test func `a path has one slash at each place, whatever is written and wherever HOME is`() throws {
        let text = "- {list: a, sqlite: //tmp//x.db, query: SELECT 1}\n- {list: b, sqlite: ~/x.db, query: SELECT 1}\n"
        let paths = try FeedFile(yaml: text, home: "/").feeds.map { feed -> String? in
            if case .sqlite(let settings) = feed.source { settings.path } else { nil }
        }
        #expect(paths == ["/tmp/x.db", "/x.db"])
        #expect(FeedPath.absolute("~", home: "/root/") == "/root" && FeedPath.absolute("/", home: nil) == "/")
        #expect(FeedPath.absolute("~/x", home: nil) == nil && FeedPath.absolute("x", home: "/") == nil)
    }

    @Test func `a feed's rule for deletions is read`() throws {
        let text = "- list: a\n  command: [ls]\n  every: 2s\n  allowEmpty: true\n  maxDelete: "
        #expect(try feeds(text + "20%").first?.maxDelete == .percent(20))
        let feed = try #require(feeds(text + "3").first)
        #expect(feed.maxDelete == .items(3) && feed.allowsEmpty == true)
        #expect(try feeds("- list: a\n  directory: /tmp\n  allowEmpty: false").first?.allowsEmpty == false)
    }

    @Test func `all keys of a directory are read, and its look is completed`() throws {
        let feed = try #require(
            feeds(
                """
                - list: a
                  directory: {path: ~/Downloads/, depth: 24, sort: -modified, hidden: true}
                  every: 5m
                  look: {title: T, layout: list}
                """
            ).first)
        var directory = DirectorySettings(path: "/home/ada/Downloads")
        (directory.depth, directory.showsHidden, directory.every) = (24, true, .seconds(300))
        directory.order = try #require(FolderOrder("-modified"))
        #expect(feed.source == .directory(directory))
        let look = try #require(feed.look.map { JSONReader($0) })
        #expect(look.member("title")?.json == #""T""# && look.member("layout")?.json == #""list""#)
        #expect(look.member("subtitle")?.json == #""/home/ada/Downloads""# && look.member("columns") != nil)
        let short = try #require(feeds("- list: a\n  directory: /tmp").first)
        #expect(short.source == .directory(DirectorySettings(path: "/tmp")) && short.look == nil)
    }

    @Test func `units of systemd are read`() throws {
        let feed = try #require(
            feeds("- list: u\n  systemd: {units: [service, timer], match: [ssh*, cron*], bus: system}").first)
        var expected = UnitSettings()
        expected.types = [.service, .timer]
        expected.match = ["ssh*", "cron*"]
        expected.bus = .system
        #expect(feed.source == .systemd(expected))
        #expect(try feeds("- list: u\n  systemd: {}").first?.source == .systemd(UnitSettings()))
    }

    @Test func `all mistakes of a file are told, each in a line`() {
        let text = """
            - list: a
              comand: [ls]
              evry: 2s
            - list: b
              command: [ls]
              every: 2x
            - list: c
              command: [ls]
              shell: true
            """
        let lines = refusal(of: text).split(separator: "\n")
        let expected = [
            "feed \"a\", line 2: comand", "feed \"a\", line 3: evry", "feed \"b\", line 6: every",
            "feed \"c\", line 8: command: with shell",
        ]
        #expect(lines.count == 4 && zip(lines, expected).allSatisfy { $0.hasPrefix($1) }, "\(lines)")
        let query = "- list: a\n  sqlite: /a.db\n  query: UPDATE t SET a = 1"
        #expect(refusal(of: query).contains("one SELECT, not UPDATE"))
        #expect(refusal(of: "- list: a\n  systemd:").contains("{units: [service, timer]}"))
    }

    @Test(arguments: [
        ("systemd: service", "systemd must be a mapping"),
        ("systemd: {unit: service}", "line 2: systemd.unit: unknown key; did you mean units?"),
        ("systemd: {units: [servic]}", "units: \"servic\" is not a type of unit; did you mean service?"),
        ("systemd: {units: [service, service]}", "units: service is listed twice"),
        ("systemd: {bus: session}", "bus: \"session\" is not one of system, user"),
        ("systemd: {}\n  id: .unit", "line 3: id: it cannot be used with systemd; leave it out"),
        ("systemd: {}\n  every: 2s", "line 3: every: it cannot be used with systemd; leave it out"),
        ("systemd: {}\n  command: [ls]", "a feed has one source, not command and systemd"),
    ])
    func `what units cannot be is refused`(text: String, message: String) {
        #expect(refusal(of: "- list: u\n  \(text)").contains(message), "\(refusal(of: "- list: u\n  \(text)"))")
    }

    @Test(arguments: [
        ("- list: a\n  command: [ls]\n  evry: 2s", "line 3: evry: unknown key; did you mean every?"),
        ("- lst: a\n  command: [ls]", "line 1: lst: unknown key; did you mean list?"),
        ("- command: [ls]\n  every: 2s", "line 1: list: it is missing; add `list: NAME`"),
        ("- list: a\n  url: ftp://a/b", "line 2: url: it must be a URL such as https://"),
        ("- list: a\n  url: http://a/\n  headers: {X: {path: /a}}", "line 3: headers.X.path: unknown key"),
        ("- list: a\n  url: http://a/\n  headers: {X Y: b}", "headers.X Y: the name of a header has only letters"),
        ("- list: a\n  url: http://a/\n  headers: {X: [a]}", "line 3: headers.X: it must be one value"),
        ("- list: a\n  url: http://a/\n  stream: ndjson", "line 3: stream: it cannot be used with url; leave it out"),
        ("- list: a\n  command: [ls]\n  on: /a\n  headers: {X: b}", "headers: it cannot be used with command"),
        (
            "- list: a\n  command: [ls]\n  every: 1s\n  from: tsv\n  columns: a b",
            "columns: names are separated by commas: write [a, b]"
        ),
        ("- list: a\n  command: [ls]\n  every: 2s\n  keep: 3", "line 4: keep: it can be used only with stream: ndjson"),
        (
            "- list: a\n  command: [ls]\n  stream: states\n  remove: .x",
            "remove: it can be used only with stream: ndjson"
        ),
        (
            "- list: a\n  command: [ls]\n  stream: ndjson\n  keep: 0",
            "line 4: keep: it must be a number from 1 to 100000"
        ),
        ("- list: a\n  every: 2s", "line 1: the source is missing: add one of command, url, sqlite"),
        ("- list: a\n  command: ls -l\n  every: 2s", "line 2: command: it must be a list of words"),
        ("- list: a\n  command: [ls]\n  every: 2x", "line 3: every: \"2x\" is not a time; write 500ms, 2s, 5m or 1h"),
        ("- list: a\n  command: [ls]\n  every: 1ms", "line 3: every: it must be at least 100ms"),
        ("- list: a\n  command: [ls]\n  every: 0", "line 3: every: \"0\" is not a time"),
        ("- list: a\n  command: [ls]", "line 2: command: the trigger is missing"),
        ("- list: a\n  command: [ls]\n  on: x/y", "line 3: on: \"x/y\" is not an absolute path"),
        (
            "- list: a\n  command: [ls]\n  on: [/proc/meminfo]",
            "line 3: on: /proc/meminfo is on /proc, where the kernel does not report changes: use `every` instead"
        ),
        ("- list: a\n  command: [ls]\n  on: /sys/nowhere/x", "line 3: on: /sys/nowhere/x is on /sys"),
        ("- list: a\n  command: [ls]\n  stream: lines", "line 3: stream: \"lines\" is not one of ndjson, states"),
        ("- list: a\n  command: [ls]\n  stream: states\n  every: 2s", "line 4: every: it cannot be used with stream"),
        ("- list: a\n  command: [ls]\n  every: 2s\n  from: xml", "line 4: from: \"xml\" is not one of json, ndjson"),
        ("- list: a\n  command: [ls]\n  every: 2s\n  id: ..", "line 4: id: \"..\" is not a path"),
        ("- list: a\n  command: [ls]\n  every: 2s\n  mode: 9", "line 4: mode: "),
        ("- list: a\n  command: [ls]\n  every: 2s\n  content: x", "line 4: content: it must be a mapping"),
        ("- list: a\n  command: [ls]\n  every: 2s\n  shell: yes", "line 4: shell: it must be true or false"),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n  from: csv\n  orphans: top",
            "line 1: orphans can be used only with parent"
        ),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n  from: tree\n  parent: .p",
            "name fields, and there are none in a snapshot, in from: lines or in from: tree: leave them out, or use another from"
        ),
        (
            "- list: a\n  command: [ls]\n  stream: ndjson\n  from: lines\n  id: number",
            "no first line that its numbers could count from (id: number); use id: hash"
        ),
        ("- list: a\n  command: [ls]\n  stream: states\n  from: csv", "list as JSON, so from: csv cannot be used"),
        ("- list: a\n  command: [ls]\n  stream: ndjson\n  numbers: n", "numbers is for tables"),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n  maxDelete: 120%",
            "line 4: maxDelete: it must be a number of items, or a share"
        ),
        (
            "- list: a\n  command: [ls]\n  stream: ndjson\n  allowEmpty: true",
            "line 4: allowEmpty: it cannot be used with stream: ndjson, which deletes nothing"
        ),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n  orphans: keep",
            "line 4: orphans: \"keep\" is not one of refuse, top"
        ),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n  durability: kept",
            "line 4: durability: it must be durable or volatile"
        ),
        ("- list: a\n  command: [ls]\n  every: 2s\n  types: {a: colour}", "line 4: types: "),
        (
            "- list: a\n  command: [ls]\n  every: 2s\n- list: a\n  command: [ls]\n  every: 2s",
            "line 4: list: two feeds for the list \"a\""
        ),
        ("- list: a\n  sqlite: /tmp/x.db", "line 2: sqlite: the query is missing"),
        (
            "- list: a\n  sqlite: /tmp/x.db\n  query: SELECT 1; SELECT 2",
            "line 3: query: it must be one SELECT; remove the statement after it"
        ),
        (
            "- list: a\n  sqlite: /tmp/x.db\n  query: |\n    SELECT ';', \";\" --;\n    ;\n    DELETE FROM t",
            "line 3: query: it must be one SELECT; remove"
        ),
        ("- list: a\n  sqlite: x.db\n  query: SELECT 1", "line 2: sqlite: \"x.db\" is not an absolute path"),
        ("- list: a\n  sqlite: /proc/x.db\n  query: SELECT 1", "line 2: sqlite: /proc/x.db is on /proc"),
        ("- list: a\n  sqlite: /tmp/x\n  query: SELECT 1\n  from: csv", "line 4: from: it cannot be used with a query"),
        (
            "- list: a\n  sqlite: /tmp/x\n  query: SELECT 1\n  on: /tmp",
            "line 4: on: it cannot be used with sqlite; leave it out"
        ),
        ("- list: a\n  directory: x", "line 2: directory: \"x\" is not an absolute path"),
        ("- list: a\n  directory: {depth: 2}", "line 2: directory: the path is missing"),
        (
            "- list: a\n  directory:\n    path: /tmp\n    dept: 2",
            "line 4: directory.dept: unknown key; did you mean depth?"
        ),
        (
            "- list: a\n  directory: {path: /tmp, depth: 0}",
            "line 2: directory.depth: it must be an integer from 1 to 24"
        ),
        (
            "- list: a\n  directory: {path: /tmp, depth: 25}",
            "line 2: directory.depth: it must be an integer from 1 to 24"
        ),
        (
            "- list: a\n  directory:\n    path: /tmp\n    sort: -age",
            "line 4: directory.sort: \"-age\" is not one of name, size, modified, type"
        ),
        ("- list: a\n  directory: {path: /tmp, hidden: 1}", "line 2: directory.hidden: it must be true or false"),
        (
            "- list: a\n  directory: /proc",
            "line 2: directory: /proc is on /proc, where the kernel does not report changes: set `every` to read it periodically"
        ),
        ("- list: a\n  directory: /tmp\n  every: 1ms", "line 3: every: it must be at least 100ms"),
        ("- list: a\n  directory: /tmp\n  id: .x", "line 3: id: it cannot be used with directory; leave it out"),
        ("- list: a\n  directory: /tmp\n  on: /tmp", "line 3: on: it cannot be used with directory; leave it out"),
        (
            "- list: a\n  directory: /tmp\n  timeout: 2s",
            "line 3: timeout: it cannot be used with directory; leave it out"
        ),
        ("- list: a\n  sqlite: /tmp/x\n  command: [ls]", "a feed has one source, not command and sqlite"),
        ("- list: a\n  list: b\n  command: [ls]", "twice"),
        ("list: a", "line 1: the file must be a sequence of feeds"),
        ("- a", "line 1: a feed must be a mapping"),
        ("- list: [", "not valid YAML"),
        ("- list:\n  command: [ls]", "line 1: list: its value is missing"),
    ])
    func `a mistake is refused with its line and key`(text: String, expected: String) {
        #expect(refusal(of: text).contains(expected), "\(refusal(of: text))")
    }

    @Test(arguments: [
        "SELECT 1", "SELECT 1;", "SELECT 1 ; \n", "SELECT ';' AS \"a;b\", [c;d], `e;f` FROM t",
        "SELECT 'it''s; one'", "SELECT 1 -- none; of it", "SELECT 1 /* nor; this */;", "SELECT 1; -- the end\n",
        "SELECT 1 /* open; to the end", ";SELECT 1", "SELECT 2 - 1 / 3;;", "SELECT '; never closed", "",
    ])
    func `one statement is one, whatever is quoted in it`(query: String) {
        #expect(!QueryText(query).hasSecondStatement)
    }

    @Test(arguments: [
        "SELECT 1; SELECT 2", "SELECT 1;x", "; SELECT '''';'", "SELECT 1 /* ; */; DROP TABLE t", "SELECT 1 --\n; x",
        "SELECT 1 - 1; x", "SELECT 1 / 1; x", "SELECT /*/ ; x */ 1; y", "SELECT [a]; x",
    ])
    func `two statements are two`(query: String) {
        #expect(QueryText(query).hasSecondStatement)
    }

    @Test func `file systems are told apart by what is mounted`() {
        let mounts = """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            40 22 0:45 / /mnt/share rw,relatime shared:20 master:1 - nfs4 host:/share rw
            """
        #expect(Mounts(mounts).type(ofDevice: "0:45") == "nfs4")
        #expect(Mounts(mounts).type(ofDevice: "8:1") == "ext4")
        #expect(Mounts(mounts).type(ofDevice: "9:9") == nil)
        #expect(WatchedPath.objection(to: "/tmp") == nil)
    }
}
