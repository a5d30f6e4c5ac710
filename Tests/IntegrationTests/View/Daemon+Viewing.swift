extension Daemon {
    /// Makes a list of forty rows with actions.
    func fill(_ list: String = "tasks", _ look: String = "{}") throws {
        let items = (0..<40).map { #"{"id":"i\#($0)","content":{"text":"Task \#($0)."}}"# }.joined(separator: ",")
        let state = #"{"content":\#(look),"sections":[{"id":"main","items":[\#(items)]}]}"#
        try succeed("apply", list, "--create", "-", input: state)
    }

    /// Runs `diffablectl view` in a terminal.
    ///
    /// With the cursor on the selected row, where the tests look.
    ///
    /// - Parameter program: words of a shell command that runs `diffablectl`.
    func view(
        _ arguments: String, by program: String = "diffablectl", columns: Int = 80, rows: Int = 24,
        environment: [String: String] = [:], keepsCursor: Bool = true
    ) throws -> Tmux {
        var environment = environment
        environment["DIFFABLED_SOCKET"] = socket
        environment["LC_ALL"] = environment["LC_ALL"] ?? "C.UTF-8"
        environment["PATH"] = "\(Binaries.directory):/usr/local/bin:/usr/bin:/bin"
        return try Tmux(
            // A ^C for a command of the viewer reaches this shell too.
            "trap : INT; \(program) view \(keepsCursor ? "--cursor " : "")\(arguments); echo status $?; exec sleep 600",
            columns: columns, rows: rows,
            environment: environment, in: directory)
    }
}
