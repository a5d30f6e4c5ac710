import Testing

/// The tests test the shipped code: nothing in Sources exists only for tests, and a debug build behaves as a release.
@Suite struct ShippedCodeTests {
    /// The files that read the environment, and why.
    private static let readers = [
        "DiffableInput/ChildProcess.swift": "where programs are: $PATH",
        "diffablectl/Editing/EditedFile.swift": "which editor: $VISUAL, $EDITOR",
        "diffablectl/Output/Terminal.swift": "what the terminal can: $TERM, $NO_COLOR",
        "ProcessArguments/ProcessEnvironment.swift": "all of it, once, as a value: the daemon and the viewer",
        "DiffableFeed/Sources/SQLite/DatabaseCopy.swift": "where large temporary files are: $TMPDIR",
        "DiffableClient/SocketPath.swift": "where the daemon is: $DIFFABLED_SOCKET, $XDG_RUNTIME_DIR",
        "Systemd/LogDestination.swift": "whether the journal reads: $JOURNAL_STREAM",
    ]

    @Test(arguments: SourceFile.all)
    func `nothing is planted for tests, and debug builds do nothing else than releases`(file: SourceFile) {
        for (index, line) in file.code.enumerated() {
            for word in ["DEBUG", "planted", "Planted", "PLANTED", "_isDebugAssertConfiguration"]
            where line.contains(word) {
                Issue.record("\(file):\(index + 1) has \(word)")
            }
        }
    }

    @Test(arguments: SourceFile.all)
    func `the environment is asked only for what has a reason`(file: SourceFile) {
        let asks = file.code.contains {
            // Trying the pattern on every line takes seconds.
            $0.contains("environ") && $0.contains(#/processInfo\.environment|\benviron\b/#) || $0.contains("getenv")
        }
        #expect(asks == (Self.readers[file.path] != nil), "\(file): a value is handed down, or has its reason here")
    }
}
