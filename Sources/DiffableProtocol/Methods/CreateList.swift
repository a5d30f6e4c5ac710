import Diffable
import DiffableJSON

extension Request {
    package struct CreateList: Sendable {
        package var list: ListName
        package var durability: Durability
        /// `"ifAbsent":true` is `.isKept`.
        package var ifPresent: ExistingList
        package var lease: LeaseTerm?
        /// The access mode; nil for the configuration's default.
        package var mode: AccessMode?
        package var isShared: Bool

        package init(
            list: ListName, durability: Durability = .durable, ifPresent: ExistingList = .isError,
            lease: LeaseTerm? = nil, mode: AccessMode? = nil, isShared: Bool = false
        ) {
            self.list = list
            self.durability = durability
            self.ifPresent = ifPresent
            self.lease = lease
            self.mode = mode
            self.isShared = isShared
        }
    }
}

extension Request.CreateList: RequestParameters {
    static func read(from decoder: inout Decoder, list: inout ListName?) throws(DecodingError) -> Request {
        var durability = Durability.durable
        var ifPresent = ExistingList.isError
        var lease: LeaseTerm?
        var mode: AccessMode?
        var isShared = false
        try readObject(from: &decoder) { parameter, decoder throws(DecodingError) in
            switch parameter {
            case .list: list = try decoder.identifier("list")
            case .durability: durability = try decoder.durability()
            case .mode: mode = try decoder.accessMode()
            case .ifAbsent: ifPresent = try decoder.boolean("ifAbsent") ? .isKept : .isError
            case .lease: lease = try decoder.leaseTerm()
            case .shared: isShared = try decoder.boolean("shared")
            }
        }
        if isShared, durability != .durable {
            throw .invalidRequest("a shared list cannot be volatile, because its log is on disk: leave durability out")
        }
        return .createList(
            Self(
                list: try needed(list, .list), durability: durability, ifPresent: ifPresent, lease: lease, mode: mode,
                isShared: isShared))
    }

    func write(into writer: inout ByteWriter) {
        writer.appendParameter("list", list)
        if durability != .durable { writer.appendParameter("durability", durability.rawValue) }
        if let mode { writer.appendParameter("mode", mode.description) }
        if ifPresent == .isKept { writer.appendParameter("ifAbsent", true) }
        if let lease { writer.appendParameter("lease", lease.rawValue) }
        if isShared { writer.appendParameter("shared", true) }
    }
}

extension Decoder {
    fileprivate mutating func durability() throws(DecodingError) -> Durability {
        let string = try string("durability")
        switch string {
        case "durable": return .durable
        case "volatile": return .volatile
        default:
            throw .invalid(
                "durability must be \"durable\" or \"volatile\", not \(string.text.quoted)", at: string.offset)
        }
    }
}
