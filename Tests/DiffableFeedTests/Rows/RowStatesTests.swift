import Diffable
import DiffableInput
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiffableFeed

/// A state that is derived from the last one is equal to the state made from scratch.
@Suite struct RowStatesTests {
    /// A row of a query; nil is NULL.
    private struct Line: Hashable {
        var id: Int?
        var section = 0
        var parent: Int?
        var text = 0
    }

    private static let columns = ["id", "section", "parent", "text"]

    private func images(_ lines: [Line], columns: [String] = columns) -> RawRows {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for line in lines {
            let values = [
                line.id.map { "\"\($0)\"" }, "\"s\(line.section)\"", line.parent.map { "\"\($0)\"" }, "\(line.text)",
            ]
            let members = zip(columns, values).map { "\"\($0)\":\($1 ?? "null")" }
            bytes += Array("{\(members.joined(separator: ","))}".utf8)
            ends.append(bytes.count)
        }
        return RawRows(columns: columns, bytes: bytes, ends: ends) { image, number throws(InputError) in
            guard let content = Content.parsed(Array(image)) else { throw InputError("no JSON") }
            return Row(content: content, line: number)
        }
    }

    private func mapping(section: Bool = false, parent: Bool = false, text: Bool = false) -> RowMapping {
        var mapping = RowMapping()
        mapping.fields = .init(
            section: section ? FieldPath("section") : nil, parent: parent ? FieldPath("parent") : nil,
            text: text ? FieldPath("text") : nil)
        return mapping
    }

    private func states(_ mapping: RowMapping) -> RowStates {
        RowStates(mapping) { content, _ in content }
    }

    private func outcome(_ states: inout RowStates, _ images: RawRows) -> Result<Snapshot, FeedError> {
        Result { () throws(FeedError) in try states.state(of: images) }
    }

    // MARK: - At random

    private static let seed =
        ProcessInfo.processInfo.environment["DIFFABLED_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `it is the same as from nothing, whatever happens to the rows`(section: Bool, parent: Bool) {
        _ = compared(seed: Self.seed, section, parent)
    }

    /// A fixed seed, so that the numbers are reproducible.
    @Test(arguments: [(false, false), (true, false), (false, true), (true, true)])
    func `most states are made from the last one, and some are refused`(section: Bool, parent: Bool) {
        let (steps, advanced, refused) = compared(seed: 1, section, parent)
        // With parents, the fast path only handles rows that change in place.
        #expect(advanced > steps / (parent ? 20 : 4) && refused > 0, "\(advanced) and \(refused) of \(steps)")
    }

    private func compared(
        seed: UInt64, _ section: Bool, _ parent: Bool
    ) -> (steps: Int, advanced: Int, refused: Int) {
        var random = SplitMix64(seed: seed)
        var (steps, advanced, refused) = (0, 0, 0)
        for _ in 0..<10 {
            let mapping = mapping(section: section, parent: parent, text: Bool.random(using: &random))
            var states = states(mapping)
            var lines = (0..<Int.random(in: 0...40, using: &random)).map { line($0, parent, &random) }
            for _ in 0..<25 {
                var columns = Self.columns
                if Int.random(in: 0..<50, using: &random) == 0 { columns.swapAt(0, 1) }
                let new = images(lines, columns: columns)
                if states.advanced(to: new) != nil { advanced += 1 }
                steps += 1
                var fresh = self.states(mapping)
                let (got, wanted) = (outcome(&states, new), outcome(&fresh, new))
                if case .failure = wanted { refused += 1 }
                #expect(got == wanted, "DIFFABLED_SEED=\(seed)")
                if got != wanted { return (steps, advanced, refused) }
                // A refused state does not become the last one; the next state is compared with the one before.
                for _ in 0..<Int.random(in: 0...3, using: &random) { change(&lines, parent, &random) }
            }
        }
        return (steps, advanced, refused)
    }

    private func line(_ id: Int?, _ hasParents: Bool, _ random: inout SplitMix64) -> Line {
        var line = Line(id: id, section: Int.random(in: 0..<3, using: &random))
        if hasParents, let id, id > 0, Bool.random(using: &random) {
            line.parent = Int.random(in: 0..<id, using: &random)
        }
        line.text = Int.random(in: 0..<5, using: &random)
        return line
    }

    private func change(_ lines: inout [Line], _ hasParents: Bool, _ random: inout SplitMix64) {
        let free = (lines.compactMap(\.id).max() ?? 0) + 1
        let place = Int.random(in: 0...lines.count, using: &random)
        let kind = Int.random(in: 0..<30, using: &random)
        guard let index = lines.indices.randomElement(using: &random), kind > 4 else {
            return lines.insert(line(free, hasParents, &random), at: place)
        }
        switch kind {
        case 5...7: lines.remove(at: index)
        case 8...10:
            let line = lines.remove(at: index)
            lines.insert(line, at: min(place, lines.count))
        case 11: lines.shuffle(using: &random)
        case 12: lines.reverse()
        case 13: lines[index].id = free
        case 14: lines[index].id = lines.randomElement(using: &random)?.id
        case 15: lines[index].id = nil
        case 16: lines.append(lines[index])
        case 17: lines[index].section = Int.random(in: 0..<4, using: &random)
        case 18: lines[index].parent = lines.randomElement(using: &random)?.id
        case 19: lines.removeAll { $0.text == 0 }
        // Invalid rows are often corrected.
        case 20...22:
            var seen: Set<Int> = []
            lines.removeAll { line in line.id.map { !seen.insert($0).inserted } ?? true }
            for index in lines.indices where !seen.contains(lines[index].parent ?? -1) { lines[index].parent = nil }
        default: lines[index].text = Int.random(in: 0..<1_000, using: &random)
        }
    }

    // MARK: - Cost

    @Test func `of many rows only those that are different are read`() throws {
        let lines = (0..<2_000).map { Line(id: $0) }
        var states = states(mapping(section: true))
        let before = try states.state(of: images(lines))
        var changed = lines
        changed[7].text = 1
        changed[8].text = 1
        changed.swapAt(100, 1_900)
        changed.remove(at: 500)
        changed.insert(Line(id: 5_000), at: 0)
        let all = images(changed)
        let read = Atomic(0)
        let counted = RawRows(columns: all.columns, bytes: all.bytes, ends: all.ends) {
            (image, number) throws(InputError) in
            read.add(1, ordering: .relaxed)
            return try all.read(image, number)
        }
        let after = try states.state(of: counted)
        #expect(after.itemIdentifiers.count == 2_000 && after.itemIdentifiers[0] == "5000")
        #expect(read.load(ordering: .relaxed) < 30)
        #expect(after.difference(from: before).count < 10)
    }

    @Test func `rows that are all the same are not read`() throws {
        let all = images((0..<10).map { Line(id: $0) })
        var states = states(mapping())
        let before = try states.state(of: all)
        let again = RawRows(columns: all.columns, bytes: all.bytes, ends: all.ends) {
            (_, _) throws(InputError) in throw InputError("it is read")
        }
        #expect(try states.state(of: again).difference(from: before).isEmpty)
    }
}

extension Result where Success == Snapshot, Failure == FeedError {
    fileprivate static func == (a: Self, b: Self) -> Bool {
        switch (a, b) {
        case (.success(let a), .success(let b)): a == b
        case (.failure(let a), .failure(let b)): a == b
        default: false
        }
    }

    fileprivate static func != (a: Self, b: Self) -> Bool { !(a == b) }
}
