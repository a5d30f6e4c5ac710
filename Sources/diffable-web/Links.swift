import ArgumentParser
import Diffable
import DiffableProtocol
import DiffableWeb
import Files
import Glibc

struct MakeLink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link",
        abstract: "Create a link for browsers and print its address.",
        discussion: """
            Everyone with the address has the rights of the link. It is printed once; to replace it, use unlink and link. A \
            link named anonymous also applies to requests without a token.
            """)

    @Argument(help: "A name of letters, digits, dots, dashes and underscores.") var name: LinkName
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "The lists. menu* means every name with this prefix. Default: all.", valueName: "pattern"))
    var lists: [String] = ["*"]
    @Option(
        help: ArgumentHelp(
            "see; ask, which adds actions and proposals; or change, which adds changes.", valueName: "right"))
    var may: Permission = .see
    @Option(help: ArgumentHelp("End the link after this many days. Default: never.", valueName: "n")) var days: Days?
    @OptionGroup var state: StateOptions

    func validate() throws {
        guard name.isValid else {
            throw ValidationError(
                "\"\(name.text)\" is no name of a link: use up to 64 letters, digits, dots, dashes and underscores")
        }
        if let days, days.number == nil {
            throw ValidationError("--days \(days.text): use a whole number from 1 to 36500")
        }
        for pattern in lists {
            let name = pattern.hasSuffix("*") ? String(pattern.dropLast()) : pattern
            guard !name.contains("*") else {
                throw ValidationError("--lists \(pattern): * can only be at the end")
            }
            do { if pattern != "*" { _ = try ListName(name) } } catch {
                throw ValidationError("--lists \(pattern): a list's name \(error)")
            }
        }
    }

    func run() throws {
        let file = LinkFile(directory: try state.directory())
        let link = Link(
            name: name.text, token: Link.randomToken(), lists: lists, may: may,
            end: days?.number.map { time(nil) + $0 * 86_400 })
        do {
            try file.add(link)
            let address = try file.serverAddress()
            write(
                link.name == Link.anonymousName ? "\(address)/\n" : "\(address)/#token=\(link.token)\n",
                to: STDOUT_FILENO)
        } catch { throw failure(error) }
    }
}

struct Links: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "links", abstract: "Print all links, without their tokens: name, right, end and lists.")

    @OptionGroup var state: StateOptions

    func run() throws {
        do {
            let now = time(nil)
            for link in try LinkFile(directory: state.directory()).read() {
                let end = link.end.map { $0 <= now ? "ended" : "until \(Self.day(of: $0))" } ?? "no end"
                write("\(link.name)\t\(link.may)\t\(end)\t\(link.lists.joined(separator: " "))\n", to: STDOUT_FILENO)
            }
        } catch { throw failure(error) }
    }

    private static func day(of seconds: Int) -> String {
        var (seconds, parts) = (time_t(seconds), tm())
        guard localtime_r(&seconds, &parts) != nil else { return "?" }
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 32) { buffer in
            let length = strftime(buffer.baseAddress!, buffer.count, "%Y-%m-%d", &parts)
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(length), as: UTF8.self)
        }
    }
}

struct Unlink: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unlink",
        abstract: "Remove a link. A running server disconnects its browsers within a second.")

    @Argument(help: "The link's name.") var name: LinkName
    @OptionGroup var state: StateOptions

    func run() throws {
        do { try LinkFile(directory: state.directory()).remove(name.text) } catch { throw failure(error) }
    }
}
