import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

/// The output of `watch --format` and `--exec` for a change.
struct TemplateTests {
    private func event(_ json: String, id: ItemID = "milk") -> ItemEvent {
        ItemEvent(
            kind: .insert, item: Item(id: id, kind: "chore", content: Content.parsed(json)), list: "tasks",
            section: "today", parent: nil, revision: 7)
    }

    @Test(arguments: [
        ("{id}: {.text}", "milk: Buy milk"), ("{text} {/a/b} {.none}|", "Buy milk 1 |"), ("{.tags}", #"["x"]"#),
        ("{list} {section} {parent} {revision} {event} {kind}", "tasks today  7 insert chore"),
        ("{{id}} {{}}", "{id} {}"), ("", ""), ("{.id}", "9"),
    ])
    func `fields in braces are filled in`(text: String, filled: String) throws {
        let event = event(#"{"text":"Buy milk","a":{"b":1},"tags":["x"],"id":9}"#)
        #expect(try Template(text).filled(for: event) == filled)
    }

    @Test(arguments: ["{", "}", "{id", "id}", "{}", "{a..b}"])
    func `a template that is none is refused`(text: String) {
        #expect(throws: (any Error).self) { try Template(text) }
    }

    @Test(arguments: [
        ("notify-send {id} {.text}", ["notify-send", "milk", "a 'b' \"c\" $(d) \\ ; e"]),
        (#"sh -c 'echo "$1"' sh {.text}"#, ["sh", "-c", #"echo "$1""#, "sh", "a 'b' \"c\" $(d) \\ ; e"]),
        (#"say "{event}: {.text}" a\ b ''"#, ["say", "insert: a 'b' \"c\" $(d) \\ ; e", "a b", ""]),
    ])
    func `a command is taken apart once, and content stays within its argument`(text: String, words: [String]) throws {
        let event = event(#"{"text":"a 'b' \"c\" $(d) \\ ; e"}"#)
        #expect(try ExecutedCommand(text).words(for: event).get() == words)
    }

    @Test func `content becomes no option`() throws {
        let option = event(#"{"text":"--help"}"#, id: "-rf")
        for text in ["rm {id}", "rm {.text}", "rm '{id}'", "rm {id} -- {.text}"] {
            #expect(throws: ExecutedCommand.OptionInContent.self) { try ExecutedCommand(text).words(for: option).get() }
        }
        #expect(try ExecutedCommand("rm -- {id} {.text}").words(for: option).get() == ["rm", "--", "-rf", "--help"])
        // An argument that does not begin with content is used literally.
        #expect(
            try ExecutedCommand("say --text={.text} ' {id}'").words(for: option).get() == [
                "say", "--text=--help", " -rf",
            ])
        #expect(try ExecutedCommand("rm {id}").words(for: event("1")).get() == ["rm", "milk"])
    }

    @Test(arguments: ["", "  ", "{id} x", "a{id}", "say 'x", "say \"x", "say \\", "say {"])
    func `what is no command is refused`(text: String) {
        #expect(throws: (any Error).self) { try ExecutedCommand(text) }
    }

    @Test(arguments: [
        "sh -c 'echo {.text}'", "bash -lc 'echo {id}'", "/bin/sh -c {.text}", "env sh -c 'x {.text}'",
        "dash -c -- 'x {id}'",
        "busybox sh -c 'x {.text}'", "python3.12 -c 'print({.text})'", "perl -e 'print {.text}'",
        "perl -ne 'x {.text}' f",
        "perl -e{id}", "eval {.text}", "env eval {id}", "ssh {id}", "ssh -- {id} {.text}", "ssh host 'echo {.text}'",
        "ssh host echo {.text}",
        "ksh -ec 'x {id}'",
        "sudo -u x bash -c 'x {.text}'", "fish -c {.text}", "fish --command={.text}", "awk '{{print {.text}}}'",
        "zsh {.text}",
        "sed s/x/{.text}/", "su -c 'x {id}' u", "flock /l -c 'x {id}'", "env -S 'sh {id}'",
        "docker exec c bash -c 'x {id}'",
        "node -e 'x {id}'", "ruby -e {id}", "php -r {id}", "psql -c 'select {id}'", "watch 'x {id}'",
        "nohup watch {id}",
        "timeout 5 sh -c 'x {id}'", "xargs sh -c {id}", "find . -exec {id}", "newshell -c {id}", "bash -x {list}",
        "sh -c 'echo {event}'", "nice {.text}", "nice -n 5 {.text}", "timeout 3 {.text}", "nohup {.text}",
        "xargs {.text}",
        "stdbuf -o L {.text}", "flock /l {.text}", "env A=1 {.text}", "/usr/bin/env {.text}", "chroot / {.text}",
        "strace {.text}", "sudo -u bob {.text}", "sudo nice timeout 3 {.text}",
    ])
    func `a field is refused where a program runs its argument as code`(text: String) {
        let error = #expect(throws: (any Error).self) { _ = try ExecutedCommand(text) }
        #expect(error.map { "\($0)".contains("would run the content of the list as code") } ?? false)
    }

    @Test(arguments: [
        #"sh -c 'echo "$1"' sh {.text}"#, "sh script {.text}", "python3 s.py {id}", "env A=b sh s {id}",
        "notify-send at {.text}",
        "rm -- {id}", "ssh -- {id}", "sudo -u x ssh -- {.host}", "curl http://x/{id}", "awk -f p {id}",
        "sudo -u x touch {id}", "say --text={.text}",
        "sed -i s/a/b/ {id}", "nice -n 5 touch {id}", "timeout 3 notify-send {.text}", "flock /l touch {id}",
        "env A=1 touch {id}", "xargs touch {id}",
        "notify-send -- 'New mail from {.from}'", "perl -ne 'print' {id}", "sh -c 'echo \"$DIFFABLE_CONTENT\"'",
    ])
    func `a field is taken as an argument of a program, and after the code`(text: String) throws {
        _ = try ExecutedCommand(text)
    }

    @Test func `a command for a whole change has no field of an item`() throws {
        _ = try ExecutedCommand("update {list} {revision}", isForBatch: true)
        for text in ["update {id}", "update {event}", "update {.text}", "update {section}"] {
            #expect(throws: (any Error).self) { _ = try ExecutedCommand(text, isForBatch: true) }
        }
    }

    @Test(arguments: [("30s", 30_000), ("500ms", 500), ("2m", 120_000), ("1h", 3_600_000), ("1.5", 1_500), ("0", 0)])
    func `a time is a number and a unit`(text: String, milliseconds: Int) {
        #expect(TimeSpan(argument: text)?.duration == .milliseconds(milliseconds))
    }

    @Test(arguments: ["", "s", "-1s", "1d", "1 s", "9e9", "99999999"])
    func `what is no time is refused`(text: String) { #expect(TimeSpan(argument: text) == nil) }
}
