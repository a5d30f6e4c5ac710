import ArgumentParser
import Diffable
import DiffableInput

/// A command that runs for each change of an item, or once for each change of the list. It is split into words once, and then
/// the fields in the words are filled in.
///
/// No shell is involved. The value of a field stays within its argument, whatever characters it has, and it cannot name the
/// program. It cannot become an option either: if an argument begins with a field whose value begins with a dash, the command
/// runs only if an argument `--` precedes it, after which programs expect no options.
struct ExecutedCommand: Sendable {
    let program: String
    private let arguments: [Template]
    private let endOfOptions: Int?
    private let isForBatch: Bool

    /// `isForBatch` says whether it runs once for several events, and `isForItem` whether it runs for an item without an event.
    init(_ text: String, isForBatch: Bool = false, isForItem: Bool = false, option: String = "--exec") throws {
        let words = try CommandLineSplitter.words(of: text)
        guard let program = words.first else { throw ValidationError("\(option) is empty: name a program in it") }
        self.program = program
        self.isForBatch = isForBatch
        arguments = try words.map { try Template($0) }
        endOfOptions = words.firstIndex(of: "--")
        if arguments[0].hasFields {
            throw ValidationError(
                "\(program.debugDescription): name the program yourself: the content of a list cannot choose it")
        }
        if isForBatch, let place = arguments.firstIndex(where: \.hasItemFields) {
            throw ValidationError(
                "\(words[place].debugDescription): with --batch one command is for several items, so only {list} and {revision} "
                    + "can be filled in; the items are on its standard input")
        }
        if isForItem, let place = arguments.firstIndex(where: \.isOfChange) {
            throw ValidationError("\(words[place].debugDescription): an item has no event and no revision")
        }
        try CodeArgument.check(words, hasField: arguments.map(\.hasFields))
    }

    /// A missing program is reported at startup, and not at the first change, which may happen a week later.
    func checkProgram() throws(InputError) { try ChildProcess.check(program) }

    var fields: [ItemField] { arguments.flatMap(\.fields) }

    /// The program and its arguments; or the argument in which content would become an option.
    func words(for event: ItemEvent) -> Result<[String], OptionInContent> {
        var words: [String] = []
        for (index, argument) in arguments.enumerated() {
            let word = argument.filled(for: event)
            if argument.beginsWithField, word.hasPrefix("-"), endOfOptions.map({ $0 > index }) ?? true {
                return .failure(OptionInContent(word: word))
            }
            words.append(word)
        }
        return .success(words)
    }

    struct OptionInContent: Error { var word: String }

    /// Runs the command for one event, or for all events of one change, and returns when it has ended. The variables of the
    /// events are added to `environment`.
    func run(for events: [ItemEvent], environment: [String]) async throws {
        guard let first = events.first else { return }
        let what = isForBatch ? "revision \(first.revision) of \(first.list)" : "\(first.item.id)"
        let words: [String]
        switch self.words(for: first) {
        case .success(let filled): words = filled
        case .failure(let error):
            return printMessage(
                "the command was not run for \(what): \(harmless(error.word).debugDescription) begins with a dash and "
                    + "could be taken for an option; put -- before its field in --exec, if \(program) accepts --")
        }
        let variables = isForBatch ? ItemEvent.variables(of: events) : first.variables
        let status = try await ChildProcess.status(
            of: words, reading: events.flatMap { $0.json.bytes + [UInt8(ascii: "\n")] },
            environment: environment + variables)
        if status != 0 { printMessage("\(words[0]) ended with status \(status) for \(what)") }
    }
}

/// Splits a command line into words at white space. '…', "…" and \ quote white space.
enum CommandLineSplitter {
    static func words(of text: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = text.makeIterator()
        while let character = characters.next() {
            if character == "\\", quote != "'" {
                guard let next = characters.next() else {
                    throw ValidationError(
                        "\(text.debugDescription) ends with a backslash, which quotes nothing: leave it out, or write two"
                    )
                }
                word = (word ?? "") + String(next)
            } else if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                quote = character
                word = word ?? ""
            } else if character.isWhitespace {
                if let done = word { words.append(done) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        if quote != nil { throw ValidationError("\(text.debugDescription): a quotation mark is not closed: close it") }
        if let word { words.append(word) }
        return words
    }
}
