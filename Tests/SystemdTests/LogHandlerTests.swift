import Glibc
import Logging
import Testing

@testable import Systemd

@Suite struct LogHandlerTests {
    private func event(_ message: Logger.Message, _ metadata: Logger.Metadata = [:]) -> LogEvent {
        LogEvent(
            level: .warning, message: message, metadata: metadata, source: nil, file: "F.swift", function: "f()",
            line: 7)
    }

    @Test func `a line of text has the time, the level, the message and the fields by name`() {
        var handler = StandardErrorLogHandler()
        handler.metadata = ["peer": "1000", "list": "overridden"]
        #expect(
            handler.line(for: event("slow reader", ["list": "tasks"]), secondsSince1970: 1_000_000_000)
                == "2001-09-09T01:46:40Z warning: slow reader list=tasks peer=1000")
    }

    @Test func `a name with control characters can neither forge a line nor colour it`() {
        let line = StandardErrorLogHandler().line(
            for: event("new client", ["name": "a\n2026 error: b\u{1B}[31m"]), secondsSince1970: 0)
        #expect(line == #"1970-01-01T00:00:00Z warning: new client name="a\n2026 error: b\u{1B}[31m""#)
    }

    @Test(arguments: [
        ("tasks", "tasks"), ("a peerUID=0", #""a peerUID=0""#), (#"a" b=""#, #""a\" b=\"""#), (#"\ "#, #""\\ ""#),
        ("exe.\u{202E}txt", #"exe.\u{202E}txt"#), ("a\u{2028}b", #""a\u{2028}b""#),
    ])
    func `a value is one field, whatever it holds`(value: String, text: String) {
        let line = StandardErrorLogHandler().line(
            for: event("refused", ["client": "\(value)", "peerUID": "1000"]), secondsSince1970: 0)
        #expect(line == "1970-01-01T00:00:00Z warning: refused client=\(text) peerUID=1000")
    }

    @Test func `a line in the journal has its fields, whatever their values hold`() {
        var handler = SystemLogHandler(identifier: "diffabled")
        handler.metadata = ["peerUID": "1000"]
        #expect(
            handler.assignments(for: event("slow\nreader", ["list": "a\nPRIORITY=0"])) == [
                #"MESSAGE=slow\nreader"#, "PRIORITY=4", "SYSLOG_IDENTIFIER=diffabled", "CODE_FILE=F.swift",
                "CODE_LINE=7",
                "CODE_FUNC=f()", #"DIFFABLED_LIST=a\nPRIORITY=0"#, "DIFFABLED_PEER_UID=1000",
            ])
    }

    @Test(arguments: [
        ("list", "DIFFABLED_LIST"), ("peerUID", "DIFFABLED_PEER_UID"), ("sl-signal", "DIFFABLED_SL_SIGNAL"),
        ("stateDirectory", "DIFFABLED_STATE_DIRECTORY"), ("été", "DIFFABLED___T__"),
    ])
    func `metadata keys become names that the journal accepts`(key: String, name: String) {
        #expect(journalFieldName(key, prefix: "diffabled") == name)
    }

    @Test func `a journal field's name has at most 64 characters`() {
        #expect(journalFieldName(String(repeating: "x", count: 80), prefix: "diffabled").utf8.count == 64)
    }

    @Test func `lines go to the journal only while stderr is connected to it`() async {
        await #expect(processExitsWith: .success) {
            var status = stat()
            #expect(fstat(STDERR_FILENO, &status) == 0)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            #expect(LogDestination.detect() == .journal)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino + 1)", 1)
            #expect(LogDestination.detect() == .standardError)
            unsetenv("JOURNAL_STREAM")
            #expect(LogDestination.detect() == .standardError)
        }
    }
}
