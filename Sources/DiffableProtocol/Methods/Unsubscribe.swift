import Diffable
import DiffableJSON

extension Request {
    package struct Unsubscribe: Sendable, Equatable {
        package var subscription: Int

        package init(subscription: Int) { self.subscription = subscription }
    }
}

extension Request.Unsubscribe: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var subscription: Int?
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in
            subscription = try decoder.wholeNumber("subscription")
        }
        return .unsubscribe(Self(subscription: try needed(subscription, .subscription)))
    }

    func write(into writer: inout ByteWriter) { writer.appendParameter("subscription", subscription) }
}
