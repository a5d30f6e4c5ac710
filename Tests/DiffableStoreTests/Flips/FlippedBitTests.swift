import Diffable
import Foundation
import TestSupport
import Testing

@testable import DiffableStore

/// Any flipped bit of a state directory: the lists are right, or they have new epochs, or the start is refused. A list never
/// loses changes under its old epoch, no request key is forgotten, and changes acknowledged afterwards are there at the next
/// start.
struct FlippedBitTests {
    /// `DIFFABLED_FLIPS=20000 swift test --filter FlippedBitTests` for more.
    private static let flips =
        ProcessInfo.processInfo.environment["DIFFABLED_FLIPS"].flatMap { Int($0) }
        ?? (ProcessInfo.processInfo.environment["DIFFABLED_SOAK"] == nil ? 100 : 20_000)
    private static let seed =
        ProcessInfo.processInfo.environment["DIFFABLED_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 0...UInt64.max)

    @Test func `no flipped bit shortens a list or forgets a key in silence`() async throws {
        print("\(Self.flips) flipped bits: DIFFABLED_SEED=\(Self.seed)")
        var generator = SplitMix64(seed: Self.seed)
        let originals = try await FlippedOriginal.all()
        let flips = Flip.random(Self.flips, of: originals.map(\.files), using: &generator)
        var counts: [String: Int] = [:]
        for flip in flips {
            let original = originals[flip.original]
            // Damage to the links between pages matters most when the store writes afterwards.
            let isGoingOn = Int.random(in: 0..<(flip.place == .structure ? 3 : 8), using: &generator) == 0
            let outcome = try await original.outcome(of: flip, goingOn: isGoingOn)
            counts["\(flip.place) \(outcome)", default: 0] += 1
            guard case .wrong(let reason) = outcome else { continue }
            Issue.record("\(flip), seed \(Self.seed): \(reason)")
            if counts.filter({ $0.key.contains("wrong") }).values.reduce(0, +) > 20 { break }
        }
        print(counts.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", "))
        for place in [Flip.Place.structure, .log, .witness] {
            #expect(counts.contains { $0.key.hasPrefix("\(place)") }, "no bit of \(place) was flipped")
        }
        // Every other flip is in the structure, and half of these are detected. With many flips, more than a fifth has to be
        // detected; with few, the bound is four and a half standard deviations (it fails once in a million runs).
        let refused = counts["structure \(FlippedOriginal.Outcome.refused)", default: 0]
        let count = Double(flips.count / 2)
        #expect(Double(refused) > min(count / 5, count * 0.45 - 2.5 * count.squareRoot()))
    }
}

extension FlippedBitTests {
    /// The key of the flipped row, or the next one, is then out of order.
    @Test(arguments: ["journal", "request"])
    func `a list does not end at a row that says that it is another's`(table: String) async throws {
        let directory = ScratchDirectory()
        let store = try await directory.open()
        for name in ["first", "second"] as [ListName] { _ = try await store.creating(name, .durable).get() }
        for step in 1...30 {
            let sections = [Section(id: .numbered(step))]
            _ = try await store.transacting("second", [.appendSections(sections)], key: .numbered(100 + step)).get()
        }
        let chain = try await store.sqlite.query("SELECT chain FROM journal WHERE list = 2 AND revision = 20")
        await store.shutDown()
        // The row's list, its revision or number, and its next member.
        var start = Data([2, 20])
        if table == "journal" {
            withUnsafeBytes(of: chain.bigEndian) { start.append(contentsOf: $0) }
        } else {
            start.append(contentsOf: "120".utf8)
        }
        let path = URL(filePath: directory.databasePath)
        var file = try Data(contentsOf: path)
        let place = try #require(file.range(of: start))
        file[place.lowerBound] ^= 4
        try file.write(to: path)
        await #expect(throws: StoreOpeningError.self) { _ = try await directory.open() }
        let offline = OfflineStore(directory: directory.path)
        #expect(try !offline.check(scratch: NSTemporaryDirectory()).isGood)
        #expect(try offline.repair(keepingIn: "kept").keptIn != nil)
        let again = try await directory.open()
        #expect(await again.list("second")?.revision == (table == "journal" ? 19 : 30))
        await again.shutDown()
    }
}

/// The place of a flipped bit.
struct Flip: CustomStringConvertible {
    enum Place { case structure, key, elsewhere, log, witness }

    let place: Place
    /// The index of the original.
    let original: Int
    let offset: Int
    let bit: Int

    var description: String { "bit \(bit) at \(offset) of original \(original), in \(place)" }

    /// Returns a flip: half of them in the links between pages, each byte equally likely; the rest at the beginnings of rows and
    /// anywhere.
    static func random(
        _ count: Int, of originals: [StateImage], using generator: inout SplitMix64
    ) -> [Flip] {
        let maps = originals.map { PageMap($0.database) }
        var places = maps.enumerated().flatMap { index, map in map.structure.map { (original: index, offset: $0) } }
        var flips: [Flip] = []
        while flips.count < count / 2 {
            places.shuffle(using: &generator)
            flips += places.prefix(count / 2 - flips.count).map {
                Flip(
                    place: .structure, original: $0.original, offset: $0.offset,
                    bit: Int.random(in: 0..<8, using: &generator))
            }
        }
        while flips.count < count {
            let place: Place =
                switch flips.count % 10 {
                case 0: .witness
                case 1...3: .log
                case 4, 5: .elsewhere
                default: .key
                }
            // A store that was stopped has no log.
            let possible = originals.indices.filter { place != .log || !originals[$0].log.isEmpty }
            guard let original = possible.randomElement(using: &generator) else {
                preconditionFailure("one of the originals crashed, and has a log")
            }
            let image = originals[original]
            let offsets: Range<Int> =
                switch place {
                case .witness: 0..<Witness.length
                case .log: 0..<image.log.count
                case .elsewhere: 0..<image.database.count
                case .key, .structure: maps[original].keys.indices
                }
            let offset = Int.random(in: offsets, using: &generator)
            flips.append(
                Flip(
                    place: place, original: original, offset: place == .key ? maps[original].keys[offset] : offset,
                    bit: Int.random(in: 0..<8, using: &generator)))
        }
        return flips
    }
}
