import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON
import DiffableProtocol
import Glibc

/// A command that answers for a list: it is run for each request, and how it ends is the answer.
///
/// There is no shell, and nothing of a request is in its arguments: it reads that from its standard input and its
/// environment.
struct HandledCommand: Sendable {
    private let words: [String]
    /// Ours without variables of a request, which we have if we are run by such a command.
    private let environment: [String]

    init(_ words: [String], socket: SocketPath) {
        self.words = words
        environment = CommandEnvironment.base(socket: socket)
    }

    /// What it leaves running in the background when it ends by itself is left alone.
    private static let terms = CommandRun.Terms(complain: { complain($0) }, say: { say($0) })

    /// Runs it for a request. Throws `CancellationError` when nobody waits for the answer any more.
    func verdict(on received: ReceivedRequest) async throws -> Request.Answer.Verdict {
        let request = received.request
        let variables = Self.variables(of: request)
        guard let tooLong = variables.first(where: { $0.utf8.count > CommandEnvironment.variableLengthMax }) else {
            return try await verdict(on: request, Self.input(of: received), variables)
        }
        return .refusal(
            "\(tooLong.prefix { $0 != "=" }) would be \(grouped(tooLong.utf8.count)) bytes long, and a program takes "
                + "\(grouped(CommandEnvironment.variableLengthMax)); ask for fewer items at a time")
    }

    private func verdict(
        on request: HandlerRequest, _ input: [UInt8], _ variables: [String]
    ) async throws -> Request.Answer.Verdict {
        let result: CommandRun.Result
        do {
            result = try await CommandRun(words, environment: environment + variables, Self.terms)
                .result(ofInput: input)
        } catch let error as InputError {
            say("\(error)")
            return .refusal("\(error)")
        }
        try Task.checkCancellation()
        if result.isTooLong {
            let objection = "\(words[0]) wrote more than \(grouped(Self.terms.outputLengthMax)) bytes"
            say("\(objection) for request \(request.request), and was ended")
            return Self.broken(objection, request)
        }
        switch result.ending {
        case .status(0): return consent(to: request, result.output)
        case .status(let status):
            return .refusal(result.lastComplaint.map(Self.reason) ?? "\(words[0]) ended with status \(status)")
        case .signal(let signal):
            let objection = "\(words[0]) was ended by signal \(signal) (\(String(cString: strsignal(signal))))"
            say("\(objection), at request \(request.request)")
            return Self.broken(objection, request)
        }
    }

    /// Of an answer that the daemon did not take, for who runs this.
    func complaint(about request: HandlerRequest, _ objection: String) -> String {
        "the answer of \(words[0]) to request \(request.request) was not taken: \(objection)"
    }

    /// It may have done what was asked before it broke off. What was proposed is not applied.
    private static func broken(_ objection: String, _ request: HandlerRequest) -> Request.Answer.Verdict {
        request.content.kind == .propose ? .refusal(objection) : .failure(outcomeUnknown: objection)
    }

    /// What one of ours complained of, without its name: whoever is told puts a name in front.
    private static func reason(_ complaint: String) -> String {
        let prefix = "diffablectl: "
        return complaint.hasPrefix(prefix) ? String(complaint.dropFirst(prefix.count)) : complaint
    }
}

// MARK: - What it is given

extension HandledCommand {
    /// `NAME=value`. What a request has not is not there.
    static func variables(of request: HandlerRequest) -> [String] {
        var variables = ["DIFFABLE_LIST=\(request.list)", "DIFFABLE_KIND=\(request.content.kind.rawValue)"]
        switch request.content {
        case .perform(let action, let target, let arguments):
            variables.append("DIFFABLE_ACTION=\(action)")
            switch target {
            case .items(let items):
                variables.append("DIFFABLE_ITEMS=\(items.map(\.description).joined(separator: "\n"))")
            case .section(let section): variables.append("DIFFABLE_SECTION=\(section)")
            case .list: break
            }
            if let arguments { variables.append("DIFFABLE_ARGUMENTS=\(String(decoding: arguments, as: UTF8.self))") }
        case .propose: break
        case .expand(let item): variables.append("DIFFABLE_ITEMS=\(item)")
        }
        if let revision = request.revision { variables.append("DIFFABLE_REVISION=\(revision)") }
        if let user = request.from.userID { variables.append("DIFFABLE_UID=\(user)") }
        return variables
    }

    /// The `params` of the daemon's line, as a line.
    private static func input(of received: ReceivedRequest) -> [UInt8] {
        let parameters = JSONView(checked: received.line[...]).member("params")?.source ?? received.line[...]
        return parameters + [UInt8(ascii: "\n")]
    }
}

// MARK: - What it says

extension HandledCommand {
    /// Its output is what it says beside consenting, if that is JSON.
    private func consent(to request: HandlerRequest, _ output: [UInt8]) -> Request.Answer.Verdict {
        let output = output.withoutByteOrderMark()
        if output.allSatisfy(isWhiteSpace) { return .consent(result: nil, operations: nil) }
        let expected: String
        switch request.content {
        case .perform:
            if let result = Content.parsed(output) { return .consent(result: result.bytes, operations: nil) }
            expected = "a result is JSON, a text in double quotes"
        case .propose:
            switch Self.amendment(in: output) {
            case .success(let operations?): return .consent(result: nil, operations: operations)
            case .success(nil): expected = "status 0 has consented, another refuses; operations are a JSON array"
            case .failure(let error):
                let refusal = "what \(words[0]) wrote instead of what was proposed cannot be applied: \(error)"
                say(refusal)
                return .refusal(refusal)
            }
        case .expand: expected = "children are put into the list"
        }
        // What was meant as an answer is missed by somebody.
        say("the output of \(words[0]) for request \(request.request) is no answer, and was left out: \(expected)")
        return .consent(result: nil, operations: nil)
    }

    /// The operations that are to be applied instead of a proposal; nil for a text that is not meant as such.
    private static func amendment(in output: [UInt8]) -> Result<[ListOperation]?, InputError> {
        let first = output.first { !isWhiteSpace($0) }
        // One operation, or one on each line, is not what the page says, but it is clear that it is no consent.
        if first == UInt8(ascii: "{"), Content.parsed(output).map({ JSONView($0).member("op") == nil }) ?? false {
            return .success(nil)
        }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return .success(nil) }
        let operations: Result<[ListOperation], DecodingError> = output.withUnsafeBytes { bytes in
            Result { () throws(DecodingError) in try [ListOperation](json: bytes, limits: .input) }
        }
        return operations.map(Optional.some).mapError { InputError("\($0)") }
    }
}
