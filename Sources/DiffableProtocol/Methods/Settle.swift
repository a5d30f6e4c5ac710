import Diffable
import DiffableJSON

extension Request {
    package struct Settle: Sendable, Equatable {
        package var call: Int
        package var outcome: CallOutcome

        package init(call: Int, outcome: CallOutcome) {
            self.call = call
            self.outcome = outcome
        }
    }

    package enum CallOutcome: String, CaseIterable, Sendable {
        case done, lost, unreachable, full, unknown, refused
    }
}

extension Request.Settle: RequestParameters {
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
                        "outcome of the method \"settle\" must be \"done\", \"lost\", \"unreachable\", \"full\", "
                            + "\"unknown\" or \"refused\", not \(word.text.quoted); the call stays unsettled",
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
