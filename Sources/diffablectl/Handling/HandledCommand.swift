import Diffable
import DiffableClient
import DiffableInput
import DiffableJSON
import DiffableProtocol
import Glibc

/// A command that handles a list's requests: it runs for each request, and its exit status and output are the response. No shell
/// is involved, and nothing from a request is in the arguments: the command reads the request from its standard input and its
/// environment.
struct HandledCommand: Sendable {
    private let words: [String]
    /// The environment of this process, without the request variables that it has if such a command started it.
    private let environment: [String]

    init(_ words: [String], socket: SocketPath) {
        self.words = words
        environment = CommandEnvironment.base(socket: socket)
    }

    /// The defaults leave processes alone that a command leaves in the background.
    private static let options = CommandRun.Options(complain: { writeToStandardError($0) }, say: { printMessage($0) })

    /// Runs the command for a request. Throws `CancellationError` when the response is no longer needed.
    func verdict(on received: ReceivedRequest) async throws -> Request.Answer.Verdict {
        let request = received.request
        let variables = Self.variables(of: request)
        guard let tooLong = variables.first(where: { $0.utf8.count > CommandEnvironment.variableLengthMax }) else {
            return try await verdict(on: request, Self.input(of: received), variables)
        }
        let remedy = tooLong.hasPrefix("DIFFABLE_ITEMS=") ? "send fewer items at a time" : "send shorter arguments"
        return .refusal(
            "the handler's command was not run: $\(tooLong.prefix { $0 != "=" }) would have "
                + "\(grouped(tooLong.utf8.count)) bytes, and a program takes at most "
                + "\(grouped(CommandEnvironment.variableLengthMax)); \(remedy)")
    }

    private func verdict(
        on request: HandlerRequest, _ input: [UInt8], _ variables: [String]
    ) async throws -> Request.Answer.Verdict {
        let result: CommandRun.Result
        do {
            result = try await CommandRun(words, environment: environment + variables, Self.options)
                .result(ofInput: input)
        } catch let error as InputError {
            printMessage("\(error)")
            return .refusal("\(error)")
        }
        try Task.checkCancellation()
        if result.isTooLong {
            let objection = "\(words[0]) wrote more than \(grouped(Self.options.outputLengthMax)) bytes"
            printMessage(
                "\(objection) for request \(request.request) and was stopped; \(Self.consequence(for: request))")
            return Self.broken(objection, request)
        }
        switch result.ending {
        case .status(0): return consent(to: request, result.output)
        case .status(let status):
            return .refusal(
                result.lastComplaint.map(Self.reason)
                    ?? "the handler's command \(words[0]) gave no reason, and ended with status \(status)")
        case .signal(let signal):
            let objection = ChildProcess.message(words[0], endedBy: signal)
            printMessage("\(objection) during request \(request.request); \(Self.consequence(for: request))")
            return Self.broken(objection, request)
        }
    }

    func complaint(about request: HandlerRequest, _ objection: String) -> String {
        "the daemon did not accept the answer of \(words[0]) to request \(request.request): \(objection)"
    }

    /// The command may have done the action before it broke off. A proposal is not applied.
    private static func broken(_ objection: String, _ request: HandlerRequest) -> Request.Answer.Verdict {
        request.content.kind == .propose ? .refusal(objection) : .failure(outcomeUnknown: objection)
    }

    private static func consequence(for request: HandlerRequest) -> String {
        request.content.kind == .propose
            ? "the proposal was refused" : "the caller is told that the request may have been carried out"
    }

    /// Returns a complaint without the prefix `diffablectl: ` of a diffablectl that the command ran, because the
    /// caller's message has the prefix already.
    private static func reason(_ complaint: String) -> String {
        let prefix = "diffablectl: "
        return complaint.hasPrefix(prefix) ? String(complaint.dropFirst(prefix.count)) : complaint
    }
}

// MARK: - What it is given

extension HandledCommand {
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
        let parameters = JSONReader(checked: received.line[...]).member("params")?.source ?? received.line[...]
        return parameters + [UInt8(ascii: "\n")]
    }
}

// MARK: - What it says

extension HandledCommand {
    /// The output is an optional result, if it is JSON of the expected kind.
    private func consent(to request: HandlerRequest, _ output: [UInt8]) -> Request.Answer.Verdict {
        let output = output.withoutByteOrderMark()
        if output.allSatisfy(isWhiteSpace) { return .consent(result: nil, operations: nil) }
        let expected: String
        switch request.content {
        case .perform:
            if let result = Content.parsed(output) { return .consent(result: result.bytes, operations: nil) }
            expected = "a result must be JSON, such as a string in double quotes"
        case .propose:
            switch Self.amendment(in: output) {
            case .success(let operations?): return .consent(result: nil, operations: operations)
            case .success(nil):
                expected = "exit status 0 accepts a proposal, any other refuses it, and operations must be a JSON array"
            case .failure(let error):
                let refusal = "cannot apply the operations that \(words[0]) wrote: \(error)"
                printMessage(refusal)
                return .refusal(refusal)
            }
        case .expand: expected = "the command has to insert the children into the list"
        }
        // The output may have been meant as a result.
        printMessage("ignored the output of \(words[0]) for request \(request.request): \(expected)")
        return .consent(result: nil, operations: nil)
    }

    /// The operations that replace a proposal; nil if the text is not meant as operations.
    private static func amendment(in output: [UInt8]) -> Result<[ListOperation]?, InputError> {
        let first = output.first { !isWhiteSpace($0) }
        // One operation, or one on each line, is not the documented form, but it is clearly not a plain consent.
        if first == UInt8(ascii: "{"), Content.parsed(output).map({ JSONReader($0).member("op") == nil }) ?? false {
            return .success(nil)
        }
        guard first == UInt8(ascii: "[") || first == UInt8(ascii: "{") else { return .success(nil) }
        let operations: Result<[ListOperation], DecodingError> = output.withUnsafeBytes { bytes in
            Result { () throws(DecodingError) in try [ListOperation](json: bytes, limits: .input) }
        }
        return operations.map(Optional.some).mapError { InputError("\($0)") }
    }
}
