import Diffable
import DiffableJSON

extension Request {
    package struct SetView: Sendable {
        package var view: View
        package var subscription: Int

        package init(_ view: View, subscription: Int) {
            self.view = view
            self.subscription = subscription
        }
    }
}

extension Request.SetView: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var subscription: Int?
        var view: View?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .subscription: subscription = try decoder.wholeNumber("subscription")
            case .view: view = try decoder.view()
            }
        }
        return .setView(
            Self(try needed(view, .view), subscription: try needed(subscription, .subscription)))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("subscription", subscription)
        writer.appendParameterName("view")
        writer.append(view.json.isEmpty ? Array("{}".utf8) : view.json)
    }
}
