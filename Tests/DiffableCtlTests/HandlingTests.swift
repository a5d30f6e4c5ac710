import ArgumentParser
import Diffable
import DiffableProtocol
import Testing

@testable import DiffableInput
@testable import diffablectl

/// The arguments of a handler's command, and the line of its stderr that becomes the error.
@Suite struct HandlingTests {
    // MARK: The environment

    private func variables(_ content: HandlerRequest.Content, revision: Int? = 7) -> [String] {
        HandledCommand.variables(
            of: HandlerRequest(
                handler: 1, request: 2, list: "tasks", content: content, revision: revision,
                from: ClientIdentity(name: nil, processID: nil, userID: 1000)))
    }

    @Test func `a request is in the environment, and what it has not is not`() {
        #expect(
            variables(.perform("done", .items(["a b", "$(reboot)"]), arguments: Array(#"{"n":1}"#.utf8))) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=perform", "DIFFABLE_ACTION=done",
                "DIFFABLE_ITEMS=a b\n$(reboot)", #"DIFFABLE_ARGUMENTS={"n":1}"#, "DIFFABLE_REVISION=7",
                "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.perform("sort", .section("today"), arguments: nil), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=perform", "DIFFABLE_ACTION=sort", "DIFFABLE_SECTION=today",
                "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.expand("a=b"), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=expand", "DIFFABLE_ITEMS=a=b", "DIFFABLE_UID=1000",
            ])
        #expect(
            variables(.propose([], nil), revision: nil) == [
                "DIFFABLE_LIST=tasks", "DIFFABLE_KIND=propose", "DIFFABLE_UID=1000",
            ])
    }

    // MARK: The last line

    @Test(arguments: [
        ("", nil), ("\n \n", nil), ("no", "no"), ("no\n", "no"), ("first\nno\n\n  \n", "no"), ("a\r\nb\r\n", "b"),
        ("10%\r20%\rfailed", "failed"), ("café\n", "café"),
    ])
    func `the last line that is not empty counts`(text: String, expected: String?) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            var line = LastLine()
            line.append(bytes[..<cut])
            line.append(bytes[cut...])
            #expect(line.text == expected, "cut at \(cut)")
        }
    }

    @Test func `a long line is cut, and says so`() {
        var line = LastLine()
        let whole = String(repeating: "x", count: LastLine.lengthMax)
        line.append(Array(whole.utf8))
        #expect(line.text == whole)
        line.append([UInt8(ascii: "y")])
        #expect(line.text == whole + "… (cut: 4,097 bytes in all)")
        // The next line is not cut.
        line.append(Array("\nshort\n".utf8))
        #expect(line.text == "short")
        line.append(Array((whole.dropLast() + "é").utf8))
        #expect(line.text == whole.dropLast() + "… (cut: 4,097 bytes in all)")
    }

    // MARK: The command line

    @Test(arguments: [
        ["perform", "tasks", "done", "--section", "s", "milk"], ["perform", "tasks", "done", "milk", "--where", "a=1"],
        ["perform", "tasks", "done", "a=1", "--arguments", "{}"], ["perform", "tasks", "done", "--arguments", "{"],
        ["perform", "tasks", "done", "--timeout", "11m"], ["perform", "tasks", "done", "--timeout", "0s"],
        ["perform", "tasks"], ["perform", "tasks", ""], ["handle", "tasks"], ["handle", "tasks", "--"],
        ["handle", "tasks", "--jobs", "0", "--", "true"], ["handle", "tasks", "--jobs", "65", "--", "true"],
        ["handle", "tasks", "--perform", "--action", "a", "--", "true"], ["transact", "tasks", "--timeout", "1s"],
        ["expand", "tasks", "a", "--timeout", "1s"], ["expand", "tasks", "a", "--ask", "--if-revision", "1"],
    ])
    func `what cannot be meant is refused`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Diffablectl.parseAsRoot(arguments) }
    }

    @Test(arguments: [
        ["perform", "tasks", "done"], ["perform", "tasks", "done", "milk", "n:=1", "--timeout", "10m"],
        ["perform", "tasks", "done", "--item", "a=b", "milk"], ["perform", "tasks", "done", "--section", "s", "a=1"],
        ["handle", "tasks", "--", "true", "--replace"], ["handle", "tasks", "--jobs", "64", "--", "true"],
        ["handle", "tasks", "--perform", "--propose", "--expand", "--", "true"], ["transact", "tasks", "--propose"],
        ["expand", "tasks", "a", "b", "--ask", "--timeout", "1ms"],
    ])
    func `what can be meant is taken`(arguments: [String]) throws {
        _ = try Diffablectl.parseAsRoot(arguments)
    }
}
