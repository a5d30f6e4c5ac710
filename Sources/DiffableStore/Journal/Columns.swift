import GRDB

extension Int {
    /// The number within ±2^53, so that no sum of stored numbers overflows. Only a forged row has a number beyond these
    /// bounds together with a matching checksum.
    var bounded: Int { Swift.min(Swift.max(self, -Self.boundedMax), Self.boundedMax) }

    /// The number within 0...2^53.
    var boundedNatural: Int { Swift.max(bounded, 0) }

    static let boundedMax = 1 << 53
}

// Time and origin of a change, in the columns time, runningTime, isOriginKnown, process, user and client.

extension Moment {
    static let columnCount = 2

    init(_ row: Row, from index: Int) throws {
        self.init(
            timeOfDay: Timestamp(milliseconds: try row.decode(Int.self, atIndex: index).bounded),
            running: RunningTime(milliseconds: try row.decode(Int.self, atIndex: index + 1).bounded))
    }

    var arguments: StatementArguments { [timeOfDay.milliseconds, running.milliseconds] }

    func add(to sum: inout Checksum) {
        sum.add(timeOfDay.milliseconds)
        sum.add(running.milliseconds)
    }
}

extension Origin {
    init?(_ row: Row, from index: Int) throws {
        guard try row.decode(Bool.self, atIndex: index) else { return nil }
        self.init(
            name: try row.decode(atIndex: index + 3), processID: try row.decode(atIndex: index + 1),
            userID: try row.decode(atIndex: index + 2))
    }

    static func arguments(of origin: Origin?) -> StatementArguments {
        [origin != nil, origin?.processID, origin?.userID, origin?.name]
    }

    static func add(_ origin: Origin?, to sum: inout Checksum) {
        sum.add(origin == nil ? 0 : 1)
        sum.add(origin?.processID ?? -1)
        sum.add(origin?.userID ?? -1)
        sum.add(origin?.name ?? "")
    }
}
