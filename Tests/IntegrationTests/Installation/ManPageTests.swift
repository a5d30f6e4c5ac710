import DiffableJSON
import Foundation
import Testing

@testable import diffabled

extension Integration {
    /// The man pages of `make build`.
    struct ManPageTests {
        private let directory: ScratchDirectory

        init() throws { directory = try ScratchDirectory() }

        /// Renders a page as on a terminal. `man` reports errors in its source.
        private func rendered(_ page: String, of shared: SharedFiles) throws -> String {
            let man = try Program(
                "/usr/bin/man", ["--warnings", "-E", "UTF-8", "-l", "\(shared.path)/man/\(page)"],
                environment: ["MANPAGER": "cat", "MANWIDTH": "2000"], in: directory)
            #expect(try man.wait() == 0)
            #expect(man.complaints == "", "\(page)")
            return man.output
        }

        @Test func `every man page renders without a warning, and none is forgotten`() throws {
            guard let shared = try SharedFiles(), Binaries.areInstalled("man") else { return }
            let pages = [
                "man1/diffable-feed.1", "man1/diffable-web.1", "man1/diffablectl.1", "man5/diffabled.yaml.5",
                "man5/feeds.yaml.5",
                "man7/diffabled-protocol.7", "man8/diffabled.8",
            ]
            #expect(filePaths(below: "\(shared.path)/man") == pages)
            for page in pages {
                let text = try rendered(page, of: shared)
                for section in ["NAME", "DESCRIPTION", "SEE ALSO"] {
                    #expect(text.contains("\n\(section)\n"), "\(page)")
                }
            }
        }

        @Test(arguments: [
            ("diffablectl", "man1/diffablectl.1"), ("diffabled", "man8/diffabled.8"),
            ("diffable-feed", "man1/diffable-feed.1"), ("diffable-web", "man1/diffable-web.1"),
        ])
        func `a program's page tells each of its commands and options`(program: String, page: String) throws {
            guard let shared = try SharedFiles(), Binaries.areInstalled("man", "jq") else { return }
            let text = try rendered(page, of: shared)
            let dump = try Program("\(Binaries.directory)/\(program)", ["--experimental-dump-help"], in: directory)
            #expect(try dump.wait() == 0)
            let help = try directory.write(dump.output, to: "help.json")
            // The words before a command's name, its name, then its options.
            let query = try Program(
                "/usr/bin/jq",
                [
                    "-r",
                    """
                    .command | recurse(.subcommands[]?) | select(.commandName != "help" and .shouldDisplay)
                    | select((.subcommands // []) | all(.commandName == "help"))
                    | [((.superCommands // []) + [.commandName] | join(" ")),
                        (.arguments[] | select(.shouldDisplay) | .names[]? | select(.kind == "long") | "--" + .name)]
                    | join("\\t")
                    """,
                ], input: help, in: directory)
            #expect(try query.wait() == 0, "\(query.complaints)")
            #expect(query.outputLines.count >= (program == "diffablectl" ? 20 : 1))
            for line in query.outputLines {
                let words = line.split(separator: "\t").map(String.init)
                // A command's section ends at the next heading; the other commands' options have sections of their own.
                let hasCommands = ["diffablectl", "diffable-web"].contains(program)
                let heading = hasCommands ? "\n       \(words[0]) [" : "\nOPTIONS\n"
                let start = try #require(text.range(of: heading), "\(words[0])").upperBound
                let end = text[start...].firstMatch(of: /\n( {3})?\S/)?.range.lowerBound ?? text.endIndex
                let section = text[start..<end]
                for option in words.dropFirst() where !hasCommands || option != "--help" {
                    #expect(section.contains(option), "\(line)")
                }
            }
        }

        @Test func `the settings' page tells each setting and its default`() throws {
            guard let shared = try SharedFiles(), Binaries.areInstalled("man") else { return }
            let text = try rendered("man5/diffabled.yaml.5", of: shared)
            for setting in Setting.allCases { #expect(text.contains("\n       \(setting.key):"), "\(setting.key)") }
            #expect(text.contains("\n       lineLengthMax: 1048576\n"))
        }
    }
}
