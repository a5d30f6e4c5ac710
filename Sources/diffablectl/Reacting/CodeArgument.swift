import ArgumentParser
import DiffableInput

/// Arguments that a program runs as code. A field in one would run the content of a list.
enum CodeArgument {
    /// Refuses a command with a field
    ///
    /// - after `-c`, or another option by which a shell, an interpreter or a program such as `su` takes code,
    /// - in the script of a shell or an interpreter, as in `sh {.text}` and `awk {.text}`,
    /// - after `ssh` and other programs that join their arguments and have a shell run them, except as the host in `ssh -- {id}`,
    /// - in the program's place after `nice`, `timeout` and others that run their arguments as a command.
    static func check(_ words: [String], hasField: [Bool]) throws {
        for index in words.indices where hasField[index] {
            guard let place = placeOfCode(index, of: words) else { continue }
            throw ValidationError(
                "\"\(words[index])\": a field \(place) would run the content of the list as code. Use variables, such as "
                    + "\"$DIFFABLE_ITEMS\" and \"$DIFFABLE_CONTENT\", or put the field after the code: "
                    + "sh -c 'echo \"$1\"' sh {id}")
        }
    }

    /// Nil if the argument is not code.
    private static func placeOfCode(_ index: Int, of words: [String]) -> String? {
        let options = words[..<index].reversed().prefix { $0.hasPrefix("-") }
        let word = words[index]
        if let wrapper = wrapperWithoutProgram(before: index, of: words) { return "in the command of \(wrapper)" }
        if let option = options.first(where: takesCode) { return "after \(option)" }
        if takesCode(String(word.prefix { $0 != "=" })) || word.hasPrefix("-c") { return "in an option" }
        for place in words[..<index].indices {
            let name = name(of: words[place])
            let isProgram = place == 0 || wrappers[Self.name(of: words[place - 1])] != nil
            if name == "ssh", index == words.count - 1, words[(place + 1)..<index].elementsEqual(["--"]) { return nil }
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

    /// Matches `-c`, `-lc`, `--command` and similar options of any program.
    private static func takesCode(_ option: String) -> Bool {
        let isShort = option.utf8.count <= 5 && option.hasSuffix("c") && isCluster(option, with: "c")
        return isShort
            || ["--command", "--eval", "--execute", "--exec", "--init-command", "--print", "-exec"].contains(option)
    }

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

    /// Programs that have a remote or inner shell run their arguments.
    private static let remote: Set<String> = ["ssh", "slogin", "autossh", "mosh", "rsh", "rexec", "eval"]

    private static let joining: Set<String> = [
        "watch", "at", "batch", "parallel", "tmux", "screen", "make", "gmake", "sqlite", "entr",
    ]

    /// The wrapper before a word that is, or may be, the program that it runs; nil if the program is named before the word. A word
    /// after an option does not count as the program: it may be the option's value, as in `nice -n 5`.
    private static func wrapperWithoutProgram(before index: Int, of words: [String]) -> String? {
        var place = 0
        while place < index, let operands = wrappers[name(of: words[place])] {
            let wrapper = words[place]
            var left = operands
            place += 1
            while place < index {
                let word = words[place]
                let isValue = words[place - 1].hasPrefix("-") && words[place - 1] != "--"
                if !word.hasPrefix("-"), !word.contains("="), !isValue {
                    if left == 0 { break }
                    left -= 1
                }
                place += 1
            }
            if place >= index { return wrapper }
        }
        return nil
    }

    /// Programs that run their arguments as a command, with the number of arguments of their own before it.
    private static let wrappers = [
        "env": 0, "sudo": 0, "doas": 0, "nohup": 0, "setsid": 0, "nice": 0, "ionice": 0, "exec": 0, "command": 0,
        "busybox": 0, "toybox": 0, "time": 0, "stdbuf": 0, "chronic": 0, "unbuffer": 0, "xargs": 0, "strace": 0,
        "ltrace": 0, "valgrind": 0, "unshare": 0, "nsenter": 0, "setpriv": 0, "prlimit": 0, "runcon": 0,
        "systemd-run": 0, "systemd-inhibit": 0, "dbus-run-session": 0, "faketime": 1, "firejail": 0, "bwrap": 0,
        "setarch": 0,
        "timeout": 1, "flock": 1, "chroot": 1, "taskset": 1, "chrt": 1,
    ]
}
