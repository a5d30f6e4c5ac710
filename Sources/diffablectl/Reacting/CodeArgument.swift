import ArgumentParser
import DiffableInput

/// Arguments that a program runs as code. A field in one would run the content of a list.
enum CodeArgument {
    /// Refuses a command with a field
    ///
    /// - after `-c`, or another option by which a shell, an interpreter or a program such as `su` takes code,
    /// - in the script of a shell or an interpreter, as in `sh {.text}` and `awk {.text}`,
    /// - anywhere after `ssh` and others that put their arguments together and have a shell run them.
    static func check(_ words: [String], hasField: [Bool]) throws {
        for index in words.indices where hasField[index] {
            guard let place = placeOfCode(index, of: words) else { continue }
            throw ValidationError(
                "\"\(words[index])\": a field \(place) would run the content of the list as code. Use variables, such as "
                    + "\"$DIFFABLE_ITEMS\" and \"$DIFFABLE_CONTENT\", or put the field after the code: "
                    + "sh -c 'echo \"$1\"' sh {id}")
        }
    }

    /// Where the argument is code, in words; nil if it is not.
    private static func placeOfCode(_ index: Int, of words: [String]) -> String? {
        let options = words[..<index].reversed().prefix { $0.hasPrefix("-") }
        let word = words[index]
        if let option = options.first(where: takesCode) { return "after \(option)" }
        if takesCode(String(word.prefix { $0 != "=" })) || word.hasPrefix("-c") { return "in an option" }
        for place in words[..<index].indices {
            let name = name(of: words[place])
            let isProgram = place == 0 || wrappers.contains(Self.name(of: words[place - 1]))
            if remote.contains(name) || isProgram && joining.contains(name) { return "after \(words[place])" }
            if name == "env", options.contains(where: { isCluster($0, with: "S") || $0 == "--split-string" }) {
                return "after env -S"
            }
            guard interpreters.contains(name) else { continue }
            if options.contains(where: { isCluster($0, with: "ceErpC") }) { return "in the code of \(words[place])" }
            guard isProgram else { continue }
            let rest = words[(place + 1)..<words.count]
            // An option and its code in one word, as in perl -e….
            if word.hasPrefix("-"), !word.hasPrefix("--") { return "in the code of \(words[place])" }
            let hasCode = rest.contains { takesCode($0) || isCluster($0, with: "ceErpC") }
            let script = rest.firstIndex { !$0.hasPrefix("-") } ?? words.count
            if !hasCode, index <= script { return "in the code of \(words[place])" }
        }
        return nil
    }

    /// `-c`, `-lc`, `--command` and similar options of any program.
    private static func takesCode(_ option: String) -> Bool {
        let isShort = option.utf8.count <= 5 && option.hasSuffix("c") && isCluster(option, with: "c")
        return isShort
            || ["--command", "--eval", "--execute", "--exec", "--init-command", "--print", "-exec"].contains(option)
    }

    /// Whether it is letters after one dash, with one of these among them.
    private static func isCluster(_ option: String, with letters: String) -> Bool {
        option.hasPrefix("-") && option.dropFirst().allSatisfy(\.isLetter) && option.contains(where: letters.contains)
    }

    /// `python` for `/usr/bin/python3.12`.
    private static func name(of word: String) -> String {
        let file = word.split(separator: "/").last.map(String.init) ?? word
        let end = file.lastIndex { !($0.isNumber || $0 == "." || $0 == "-") }
        return end.map { String(file[...$0]) } ?? file
    }

    private static let interpreters: Set<String> = [
        "sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "yash", "rbash", "rksh", "fish", "csh", "tcsh", "rc", "es",
        "elvish",
        "nu", "xonsh", "pwsh", "powershell", "busybox", "toybox", "python", "pypy", "perl", "ruby", "node", "nodejs",
        "deno",
        "bun", "php", "lua", "luajit", "tclsh", "wish", "expect", "guile", "R", "Rscript", "julia", "osascript",
        "groovy",
        "awk", "gawk", "mawk", "nawk", "sed", "gsed", "jq", "psql", "mysql", "mariadb", "su", "runuser", "xterm",
        "rxvt", "urxvt",
    ]

    /// They have a shell elsewhere run their arguments.
    private static let remote: Set<String> = ["ssh", "slogin", "autossh", "mosh", "rsh", "rexec", "eval"]

    /// The same, with names that may be words as well.
    private static let joining: Set<String> = [
        "watch", "at", "batch", "parallel", "tmux", "screen", "make", "gmake", "sqlite", "entr",
    ]

    private static let wrappers: Set<String> = [
        "env", "sudo", "doas", "nohup", "setsid", "nice", "ionice", "exec", "command", "busybox", "toybox", "time",
        "stdbuf",
        "chronic", "unbuffer",
    ]
}
