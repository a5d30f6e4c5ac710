import Diffable
import DiffableClient
import Testing

@testable import DiffableInput
@testable import diffablectl

/// A sentence depends on the code and the facts of a refusal, not on the daemon's message.
struct RefusalSentenceTests {
    private func sentence(
        _ name: String, _ reason: String? = nil, section: SectionID? = nil, item: ItemID? = nil, operation: Int? = nil,
        limit: String? = nil, action: String? = nil, found: Int? = nil
    ) -> String {
        Refusal(
            .init(rawValue: name), "the daemon's message", list: "tasks", section: section, item: item,
            operation: operation, reason: reason, limit: limit, action: action, found: found
        ).sentence
    }

    @Test func `a missing list, item or section is named, with the command that shows those that exist`() {
        #expect(
            sentence("noSuchList")
                == #"there is no list "tasks", or you may not see it; diffablectl ls prints your lists, and "#
                + "diffablectl create tasks creates this one"
        )
        #expect(
            sentence("noSuchItem", item: "a", operation: 0)
                == #"the list "tasks" has no item "a"; diffablectl show prints its items"#)
        #expect(
            sentence("noSuchSection", section: "s", operation: 3)
                == #"the list "tasks" has no section "s"; diffablectl show prints the sections (operation 3, counted from 0)"#
        )
        #expect(
            sentence("listExists") == #"there is already a list "tasks", and it was not changed; choose another name"#)
        #expect(sentence("listExists", "restore").contains("--replace"))
    }

    @Test(
        arguments: [
            ("noSuchRevision", nil, "diffablectl log"), ("noSuchRevision", "future", "yet"),
            ("permissionDenied", "change", "diffablectl chmod"), ("permissionDenied", "read", "--dry-run"),
            ("permissionDenied", "mirror", "diffablectl mirror --end"), ("permissionDenied", "owner", "owner or root"),
            ("noHandler", "propose", "diffablectl ls -l"), ("handlerExists", "expand", "diffablectl handle --replace"),
            ("notKept", "tooLong", "--force"), ("unreachable", nil, "diffablectl watch"),
            ("unreachable", "newest", "--most-recent"), ("outcomeUnknown", nil, "--request-key"),
            ("requestKeyReused", nil, "--request-key"), ("mirrorExists", nil, "another command"),
            ("noSpace", nil, "delete --force"), ("storageFailed", nil, "--request-key"),
        ] as [(String, String?, String)])
    func `a refusal names the command or option that helps`(code: String, reason: String?, remedy: String) {
        let sentence = sentence(code, reason)
        #expect(sentence.contains(remedy))
        #expect(!sentence.contains("`"))
    }

    @Test func `the number of changes that can be undone is told`() {
        #expect(sentence("noSuchRevision", "undo", found: 0).contains("no change that can be undone"))
        #expect(sentence("noSuchRevision", "redo", found: 1).contains("only 1 change of"))
        #expect(sentence("noHandler", "perform", action: "done").contains(#"the action "done""#))
    }

    @Test func `a reason that a newer daemon has, and a handler's reason, are told in the daemon's words`() {
        #expect(sentence("permissionDenied", "moonlight") == "the daemon's message")
        #expect(sentence("refused") == "the daemon's message")
        #expect(sentence("tooLarge", operation: 2) == "the daemon's message (operation 2, counted from 0)")
        #expect(sentence("tooLarge", limit: "patchedLengthMax").contains("--where"))
        #expect(sentence("noSuchItem") == "the daemon's message")
    }
}
