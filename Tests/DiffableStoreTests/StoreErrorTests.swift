import Diffable
import DiffableStore
import Testing

/// Error messages in the log and in replies.
struct StoreErrorTests {
    @Test(arguments: [
        (StoreError.noSuchList("tasks"), ["\"tasks\"", "create it"]),
        (.listExists("tasks"), ["\"tasks\"", "delete it first"]),
        (.tooManyLists(max: 3), ["3", "listsMax", "raise the limit"]),
        (.tooManyListsOfUser(1_001, max: 3), ["1001", "3", "listsPerUserMax", "delete one"]),
        (
            .contentOfUserTooLong("tasks", 1_001, max: 9),
            ["tasks", "1001", "9 bytes", "contentPerUserMax", "Delete items or lists"]
        ),
        (.revisionMismatch("tasks", expected: 4, current: 5), ["\"tasks\"", "4", "5", "retry"]),
        (.transaction("tasks", TransactionError(index: 2, reason: .noSuchItem("milk"))), ["\"tasks\"", "2", "milk"]),
        (.operation("tasks", .duplicateItem("milk")), ["\"tasks\"", "milk"]),
        (
            .repetition("tasks", Repetition(item: "milk", first: "snapshot[0]", second: "snapshot[7]")),
            ["\"tasks\"", "\"milk\"", "snapshot[0]", "snapshot[7]"]
        ),
        (.noSpace, ["full", "nothing was changed", "retry"]),
        (.storageFailed(reason: "I/O error"), ["I/O error", "may have been made", "restart the daemon"]),
        (.shuttingDown, ["shutting down", "send it again"]),
    ])
    func `a refusal names what it is about and what to do`(error: StoreError, words: [String]) {
        for word in words { #expect("\(error)".contains(word), "\(error)") }
    }

    @Test(arguments: [
        (StoreOpeningError.directoryUnusable(path: "/state", reason: "none"), ["/state", "none", "--state-directory"]),
        (.inUse(path: "/state"), ["/state", "another diffabled", "--state-directory"]),
        (.otherSchema(path: "/state/x", version: 9, known: 1), ["/state/x", "9", "1", "nothing was changed"]),
        (.foreign(path: "/state/x"), ["/state/x", "--state-directory"]),
        (
            .missing(path: "/state/x", reason: "it is empty"),
            ["/state/x", "it is empty", "a backup", "--repair --state-directory /state`"]
        ),
        (.unreadable(path: "/state/x", reason: "I/O error"), ["/state/x", "I/O error"]),
        (
            .damaged(path: "/state/x", list: "tasks", revision: 7, reason: "gap"),
            ["/state/x", "\"tasks\"", "7", "gap", "--repair --state-directory /state`"]
        ),
    ])
    func `a start that is refused names the file and what to do`(error: StoreOpeningError, words: [String]) {
        for word in words { #expect("\(error)".contains(word), "\(error)") }
    }
}
