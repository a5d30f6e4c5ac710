import Foundation
import TestSupport

/// A fault of the daemon, injected from outside: in its lines or in its storage.
enum PlantedFault: String, CaseIterable {
    /// An update is not sent to a subscriber.
    case dropsChange
    /// Two updates are sent in the wrong order.
    case swapsGroups
    /// A deletion is missing in an update of several transactions.
    case skipsCoalescedDelete
    /// A group is reported and acknowledged before it is written, because the disk confirms too early.
    case acknowledgesFirst
    /// A transaction has the same revision as the one before.
    case reusesRevision
    /// A repeated request is applied again.
    case appliesKeyTwice

    var promise: Promise {
        switch self {
        case .dropsChange: .noGap
        case .swapsGroups: .order
        case .skipsCoalescedDelete: .convergence
        case .acknowledgesFirst: .durableFirst
        case .reusesRevision: .uniqueRevisions
        case .appliesKeyTwice: .exactlyOnce
        }
    }

    /// Whether it shows only when the daemon ends.
    var needsEnds: Bool { self == .acknowledgesFirst }

    /// Returns the daemon's environment.
    func environment(in directory: ScratchDirectory) throws -> [String: String] {
        guard self == .acknowledgesFirst else { return [:] }
        var environment = try StorageFault.environment(nil, in: directory)
        environment["FAULT_LOG"] = nil
        environment["FAULT_AT"] = "1"
        environment["FAULT_ACTION"] = "late"
        return environment
    }

    /// Returns a proxy between clients and the daemon, if the fault is in the lines.
    func proxy(for daemon: Daemon) throws -> FaultyProxy? {
        guard self != .acknowledgesFirst else { return nil }
        return try FaultyProxy(at: daemon.directory.file("faulty"), to: daemon.socket) { PlantedFaultLines(self) }
    }
}

/// Changes the lines of one connection.
struct PlantedFaultLines: FaultyLines {
    private let fault: PlantedFault
    private var groups = 0
    /// An update that is sent after the next one.
    private var held: [UInt8]?
    private var keys = 0

    /// The number of updates between faults.
    private static let interval = 20

    init(_ fault: PlantedFault) { self.fault = fault }

    func requests(for line: [UInt8]) -> [UInt8] {
        guard fault == .appliesKeyTwice, line.contains(#""requestKey":""#) else { return line + [UInt8(ascii: "\n")] }
        // A key that was never used.
        return line.replacing(#""requestKey":""#, with: #""requestKey":"\#(UUID().uuidString) "#) + [UInt8(ascii: "\n")]
    }

    mutating func answers(for line: [UInt8]) -> [UInt8] {
        switch fault {
        case .dropsChange, .swapsGroups: withGroupAstray(line + [UInt8(ascii: "\n")])
        case .skipsCoalescedDelete: withoutDeletions(line) + [UInt8(ascii: "\n")]
        case .reusesRevision: withRevisionReused(line) + [UInt8(ascii: "\n")]
        case .acknowledgesFirst, .appliesKeyTwice: line + [UInt8(ascii: "\n")]
        }
    }

    private static func isChange(_ line: [UInt8]) -> Bool {
        line.starts(with: #"{"jsonrpc":"2.0","method":"changes","#.utf8)
    }

    private mutating func withGroupAstray(_ line: [UInt8]) -> [UInt8] {
        guard Self.isChange(line), !line.hasSuffix(#""more":true}}\#n"#) else { return line }
        if let before = held {
            held = nil
            return line + before
        }
        groups += 1
        guard groups % Self.interval == 0 else { return line }
        if fault == .swapsGroups { held = line }
        return []
    }

    /// Removes deletions from an update of several transactions.
    private func withoutDeletions(_ line: [UInt8]) -> [UInt8] {
        guard Self.isChange(line) else { return line }
        let text = String(decoding: line, as: UTF8.self)
        guard let step = text.prefix(400).firstMatch(of: #/"from":([0-9]+),"revision":([0-9]+)/#),
            let from = Int(step.1), let revision = Int(step.2), revision > from + 1
        else { return line }
        let without = text.replacing(#/{"op":"deleteItems","items":\[[^\]]*\]},/#, with: "")
        return Array(without.replacing(#/,?{"op":"deleteItems","items":\[[^\]]*\]}/#, with: "").utf8)
    }

    /// Gives each tenth update the revision of the one before.
    private func withRevisionReused(_ line: [UInt8]) -> [UInt8] {
        let head = String(decoding: line.prefix(400), as: UTF8.self)
        let other = head.replacing(#/"(revision|from)":([0-9]+0)(?=[,}])/#) { match in
            #""\#(match.1)":\#((Int(match.2) ?? 0) - 1)"#
        }
        return Array(other.utf8) + line.dropFirst(400)
    }
}

extension [UInt8] {
    fileprivate func contains(_ text: String) -> Bool { firstRange(of: text) != nil }

    fileprivate func hasSuffix(_ text: String) -> Bool { suffix(text.utf8.count).elementsEqual(text.utf8) }

    fileprivate func replacing(_ text: String, with other: String) -> [UInt8] {
        guard let range = firstRange(of: text) else { return self }
        return self[..<range.lowerBound] + Array(other.utf8) + self[range.upperBound...]
    }

    private func firstRange(of text: String) -> Range<Int>? { Data(self).firstRange(of: Data(text.utf8)) }
}
