import ArgumentParser
import Diffable
import Testing

@testable import diffablectl

@Suite struct PickingCommandTests {
    @Test func `what stands behind two dashes is a command, whatever it looks like`() throws {
        let arguments = ViewLists.markingCommandWords([
            "view", "hosts", "--multi", "--", "ssh", "-p", "22", "", "--", "--plain",
        ])
        let command = try #require(try Diffablectl.parseAsRoot(arguments) as? ViewLists)
        #expect(command.commandWords == ["ssh", "-p", "22", "", "--", "--plain"])
        #expect(command.sources == [.list("hosts")] && command.picker.multi && !command.plain)
    }

    @Test func `other commands keep their two dashes`() {
        for arguments in [["append", "tasks", "--", "-x"], ["view", "hosts"], ["apply", "view", "--", "ps"]] {
            #expect(ViewLists.markingCommandWords(arguments) == arguments)
        }
    }

    @Test(arguments: [
        ["view", "hosts", "--exec", "echo", "--", "ssh"], ["view", "hosts", "--plain", "--", "ssh"],
        ["view", "--", "ssh"],
    ])
    func `one command alone is run, and for a list`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Diffablectl.parseAsRoot(ViewLists.markingCommandWords(arguments)) }
    }
}
