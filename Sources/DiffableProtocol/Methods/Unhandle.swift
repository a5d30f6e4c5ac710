import Diffable
import DiffableJSON

extension Request {
    package struct Unhandle: Sendable, Equatable {
        package var handler: Int

        package init(handler: Int) { self.handler = handler }
    }
}

extension Request.Unhandle: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var handler: Int?
        try readObject(from: &decoder) { _, decoder throws(DecodingError) in
            handler = try decoder.wholeNumber("handler")
        }
        return .unhandle(Self(handler: try needed(handler, .handler)))
    }

    func write(into writer: inout ByteWriter) { writer.appendParameter("handler", handler) }
}
