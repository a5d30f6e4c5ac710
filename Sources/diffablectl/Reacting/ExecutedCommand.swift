import ArgumentParser
import Diffable
import DiffableInput
/// A command that is run for each change. It is split into words once, and then the fields in the words are filled in.
///
/// There is no shell. The value of a field stays within its argument, whatever characters it has, and it cannot name the
/// program. It cannot become an option either: if an argument begins with a field whose value begins with a dash, the command
/// is run only if an argument `--` stands before it, after which programs expect no options.
struct ExecutedCommand: Sendable {
    private let program: String
    private let arguments: [Template]
    /// The index of `--`, if it is there.
    private let endOfOptions: Int?
    private let text: String

    init(_ text: String) throws {
        let words = try CommandWords.words(of: text)
        guard let program = words.first else { throw ValidationError("--exec names no program") }
        self.text = text
        self.program = program
        arguments = try words.map { try Template($0) }
        endOfOptions = words.firstIndex(of: "--")
        if arguments[0].hasFields {
            throw ValidationError(
                "\(program.debugDescription): the program is for you to name, not for the content of a list")
        }
    }

    /// That there is no such program shows at the start, and not at the first change, which may come in a week.
    func checkProgram() throws(InputError) { try ChildProcess.check(program) }

    /// The fields of contents.
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

    /// Runs it, and returns when it has ended.
    func run(for event: ItemEvent) async throws {
        let words: [String]
        switch self.words(for: event) {
        case .success(let filled): words = filled
        case .failure(let error):
            return say(
                "not run for \(event.item.id): \(harmless(error.word).debugDescription) begins with a dash and could be taken for "
                    + "an option; put -- before it, if \(arguments[0].filled(for: event)) knows that")
        }
        let status = try await ChildProcess.status(of: words, input: .nothing)
        if status != 0 { say("\(words[0]) ended with status \(status) for \(event.item.id)") }
    }
}

/// Splits a command line into words at white space. '…', "…" and \ quote white space.
enum CommandWords {
    static func words(of text: String) throws -> [String] {
        var words: [String] = []
        var word: String?
        var quote: Character?
        var characters = text.makeIterator()
        while let character = characters.next() {
            if character == "\\", quote != "'" {
                guard let next = characters.next() else {
                    throw ValidationError("\(text.debugDescription) ends with a backslash")
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
        if quote != nil { throw ValidationError("\(text.debugDescription): a quotation mark is not closed") }
        if let word { words.append(word) }
        return words
    }
}
