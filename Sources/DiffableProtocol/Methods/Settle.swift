import Diffable
import DiffableJSON

extension Request {
    /// What has become of something that the connector was asked.
    package struct Settle: Sendable, Equatable {
        package var call: Int
        package var outcome: CallOutcome

        package init(call: Int, outcome: CallOutcome) {
            self.call = call
            self.outcome = outcome
        }
    }

    package enum CallOutcome: String, CaseIterable, Sendable {
        case done, lost, unreachable, unknown, refused
    }
}

extension Request.Settle: RequestParameters {
    enum Parameter: UInt8, IndexedMemberName {
        case call, outcome

        static let names = MemberNames(Parameter.self)
    }

    static let method = Method.settle
    static let required: [Parameter] = [.call, .outcome]
    static let summary = "say what has become of a call; for whoever is attached"

    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var call: Int?
        var outcome: Request.CallOutcome?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .call: call = try decoder.wholeNumber("call")
            case .outcome:
                let word = try decoder.string("outcome")
                outcome = Request.CallOutcome(rawValue: word.text)
                if outcome == nil {
                    throw .invalid(
                        "outcome must be \"done\", \"lost\", \"unreachable\", \"unknown\" or \"refused\", not "
                            + "\"\(word.text.shown)\"",
                        at: word.offset)
                }
            }
        }
        return .settle(Self(call: try needed(call, .call), outcome: try needed(outcome, .outcome)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("call", call)
        writer.appendParameter("outcome", outcome.rawValue)
    }
}
