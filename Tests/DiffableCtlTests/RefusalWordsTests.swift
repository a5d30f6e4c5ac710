import Diffable
import DiffableClient
import Testing

@testable import DiffableInput
@testable import diffablectl

/// Messages depend on the kind of a refusal, not on the daemon's text.
struct RefusalWordsTests {
    private func words(
        _ name: String, _ message: String = "daemon's words", section: SectionID? = nil, item: ItemID? = nil,
        operation: Int? = nil
    ) -> String {
        Refusal(
            .init(rawValue: name), message, list: "tasks", section: section, item: item, operation: operation
        ).words
    }

    @Test func `what is not there is named, with the command that shows what is`() {
        #expect(
            words("noSuchList")
                == #"there is no list "tasks", or you may not see it; diffablectl ls prints your lists, and "#
                + "diffablectl create tasks creates this one"
        )
        #expect(
            words("noSuchItem", item: "a", operation: 0)
                == #"the list "tasks" has no item "a"; diffablectl show prints its items"#)
        #expect(
            words("noSuchSection", section: "s", operation: 3)
                == #"the list "tasks" has no section "s"; diffablectl show prints the sections"#)
        #expect(
            words("noSuchRevision", "3 is not kept; `history` shows them")
                == "3 is not kept; diffablectl log shows them")
        #expect(words("listExists") == #"there is already a list "tasks", and it was not changed; choose another name"#)
    }

    @Test func `other words are the daemon's, without the place of the only operation`() {
        #expect(words("ownDescendant", "operation 0 on the list", operation: 0) == "the list")
        #expect(words("ownDescendant", "operation 1 on the list", operation: 1) == "operation 1 on the list")
        #expect(
            words("noHandler", "nobody; `lists` shows in `handles` what is answered for")
                == "nobody; diffablectl ls -l shows what is answered for")
        #expect(
            words("handlerExists", #"when it is replaced (`"replace":true`)"#)
                == "when it is replaced (diffablectl handle --replace)")
        #expect(words("noSpace", "the disk is full") == "the disk is full")
        #expect(words("permissionDenied", "leave `dryRun` out (`access`)") == "leave --dry-run out (`access`)")
        #expect(words("noSuchItem", "without data") == "without data")
    }
}
