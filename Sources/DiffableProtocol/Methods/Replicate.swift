import Diffable
import DiffableJSON

extension Request {
    package struct Replicate: Sendable, Equatable {
        package var list: ListName
        package var epoch: String
        package var batches: [[UInt8]]
        /// Whether the replica is complete, except for changes in transit; nil: unchanged.
        package var isLive: Bool?
        package var state: StatePart?
        package var isGone: Bool
        package var isLeft: Bool
        /// The list's owner and access mode in the form of `share`, for a list that is created.
        package var access: String?

        package struct StatePart: Sendable, Equatable {
            package var text: [UInt8]
            /// Set with the last part: the state's position in the log.
            package var end: End?

            package struct End: Sendable, Equatable {
                package var batch: Int
                package var chain: String

                package init(batch: Int, chain: String) { (self.batch, self.chain) = (batch, chain) }
            }

            package init(text: [UInt8], end: End?) { (self.text, self.end) = (text, end) }
        }

        package init(
            list: ListName, epoch: String, batches: [[UInt8]] = [], isLive: Bool? = nil, state: StatePart? = nil,
            isGone: Bool = false, isLeft: Bool = false, access: String? = nil
        ) {
            self.list = list
            self.epoch = epoch
            self.batches = batches
            self.isLive = isLive
            self.state = state
            self.isGone = isGone
            self.isLeft = isLeft
            self.access = access
        }
    }
}

extension Request.Replicate: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var (epoch, chain, access): (String?, String?, String?)
        var (isLive, isGone, isLeft, more): (Bool?, Bool?, Bool?, Bool?)
        var batches: [[UInt8]]?
        var text: [UInt8]?
        var batch: Int?
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .epoch: epoch = try decoder.string("epoch").text
            case .batches:
                batches = try decoder.elements("batches") { decoder throws(DecodingError) in
                    try decoder.string("a batch").withUTF8 { Array($0) }
                }
            case .live: isLive = try decoder.boolean("live")
            case .state: text = try decoder.string("state").withUTF8 { Array($0) }
            case .batch: batch = try decoder.wholeNumber("batch")
            // Ignored, because the text of the state contains the revision.
            case .revision: _ = try decoder.wholeNumber("revision")
            case .chain: chain = try decoder.string("chain").text
            case .more: more = try decoder.boolean("more")
            case .gone: isGone = try decoder.boolean("gone")
            case .left: isLeft = try decoder.boolean("left")
            case .access: access = try decoder.string("access").text
            }
        }
        var state: StatePart?
        if let text {
            state = StatePart(text: text, end: nil)
            if more != true {
                state?.end = StatePart.End(batch: try needed(batch, .batch), chain: try needed(chain, .chain))
            }
        }
        return .replicate(
            Self(
                list: try needed(list, .list), epoch: try needed(epoch, .epoch), batches: batches ?? [],
                isLive: isLive, state: state, isGone: isGone ?? false, isLeft: isLeft ?? false, access: access))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        writer.appendParameter("epoch", epoch)
        if !batches.isEmpty {
            writer.appendParameterName("batches")
            writer.append(byte: UInt8(ascii: "["))
            for (index, text) in batches.enumerated() {
                if index > 0 { writer.append(byte: UInt8(ascii: ",")) }
                text.withUnsafeBytes { writer.appendString(utf8: $0) }
            }
            writer.append(byte: UInt8(ascii: "]"))
        }
        if let state {
            writer.appendParameterName("state")
            state.text.withUnsafeBytes { writer.appendString(utf8: $0) }
            if let end = state.end {
                writer.appendParameter("batch", end.batch)
                writer.appendParameter("chain", end.chain)
            } else {
                writer.appendParameter("more", true)
            }
        }
        if let isLive { writer.appendParameter("live", isLive) }
        if isGone { writer.appendParameter("gone", true) }
        if isLeft { writer.appendParameter("left", true) }
        if let access { writer.appendParameter("access", access) }
    }
}
