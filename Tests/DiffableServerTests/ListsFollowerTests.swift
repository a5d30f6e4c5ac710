import Diffable
import DiffableJSON
import DiffableProtocol
import NIOCore
import TestSupport
import Testing

@testable import DiffableServer

/// The set of lists as a client of `followLists` receives it.
struct ListsFollowerTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    private static func summary(_ list: ListName, _ revision: Int) -> Reply.ListSummary {
        Reply.ListSummary(
            list: list, epoch: "e", revision: revision, numberOfSections: 0, numberOfItems: 0,
            access: .init(list: list, owner: 0, group: 0, mode: .ownerOnly), durability: .volatile)
    }

    /// The lists that exist for the client, by their revisions.
    private typealias World = [ListName: Int]

    private func told(
        _ follower: inout ListsFollower, _ world: World, at now: NIODeadline, isStopping: Bool = false,
        lineLengthMax: Int = 65_535
    ) throws -> (listed: World, unlisted: [ListName])? {
        let line = follower.nextLine(at: now, isStopping: isStopping, lineLengthMax: lineLengthMax) { list in
            world[list].map { Self.summary(list, $0) }
        }
        guard let bytes = line?.line(subscription: 7).bytes else { return nil }
        #expect(bytes.count <= lineLengthMax && bytes.last == UInt8(ascii: "\n"))
        let message = try bytes.withUnsafeBytes { try Message(line: UnsafeRawBufferPointer(rebasing: $0.dropLast())) }
        guard case .listsChanged(7, let listed, let unlisted) = message else {
            Issue.record("no listsChanged")
            return nil
        }
        return (Dictionary(uniqueKeysWithValues: listed.map { ($0.list, $0.revision) }), unlisted)
    }

    @Test func `a client that is told at random times knows the lists at each rest`() throws {
        var random = SplitMix64()
        for run in 0..<200 {
            let names: [ListName] = (0..<20).map { ListName(stringLiteral: "list\($0)") }
            var world: World = Dictionary(uniqueKeysWithValues: names.prefix(5).map { ($0, 0) })
            var follower = ListsFollower(known: Set(world.keys), minInterval: run % 2 == 0 ? nil : 50)
            var client = world
            var now = start
            for _ in 0..<100 {
                now = now + .milliseconds(Int64.random(in: 0...40, using: &random))
                let name = names.randomElement(using: &random) ?? "list0"
                switch Int.random(in: 0..<3, using: &random) {
                case 0: world[name, default: 0] += 1
                case 1: world[name] = nil
                // A list that the client cannot see.
                default: break
                }
                follower.note(name)
                guard Bool.random(using: &random) else { continue }
                while let news = try told(&follower, world, at: now, lineLengthMax: 1_024) {
                    client.merge(news.listed) { $1 }
                    for list in news.unlisted {
                        #expect(client.removeValue(forKey: list) != nil, "seed \(random.seed)")
                    }
                }
                if follower.isUpToDate { #expect(client == world, "seed \(random.seed)") }
            }
            while let news = try told(&follower, world, at: now, isStopping: true) {
                client.merge(news.listed) { $1 }
                for list in news.unlisted { client[list] = nil }
            }
            #expect(client == world && follower.known == Set(world.keys) && follower.isUpToDate, "seed \(random.seed)")
        }
    }

    @Test func `changes within the interval are told together, when it is over`() throws {
        var follower = ListsFollower(known: ["a"], minInterval: 100)
        follower.note("a")
        #expect(try told(&follower, ["a": 1], at: start)?.listed == ["a": 1])
        for revision in 2...9 {
            follower.note("a")
            #expect(try told(&follower, ["a": revision], at: start + .milliseconds(Int64(revision))) == nil)
        }
        #expect(follower.alarm == start + .milliseconds(100))
        follower.wake()
        #expect(try told(&follower, ["a": 9], at: start + .milliseconds(100))?.listed == ["a": 9])
        #expect(follower.alarm == nil && follower.isUpToDate)
    }

    @Test func `a list that came and went is not told`() throws {
        var follower = ListsFollower(known: [], minInterval: nil)
        follower.note("secret")
        #expect(!follower.isSettled(for: "secret"))
        #expect(try told(&follower, [:], at: start) == nil)
        #expect(follower.isUpToDate && follower.isSettled(for: "secret"))
        // An interval begins only with an update that was sent.
        var paced = ListsFollower(known: [], minInterval: 100)
        paced.note("secret")
        #expect(try told(&paced, [:], at: start) == nil)
        paced.note("open")
        #expect(try told(&paced, ["open": 0], at: start)?.listed == ["open": 0])
    }

    @Test func `a content that is too long for a line is left out`() throws {
        var follower = ListsFollower(known: ["a"], minInterval: nil)
        follower.note("a")
        let line = follower.nextLine(at: start, isStopping: false, lineLengthMax: 1_024) { list in
            var summary = Self.summary(list, 1)
            summary.content = Content([UInt8](repeating: UInt8(ascii: "1"), count: 1_000))
            return summary
        }
        let text = String(decoding: line?.line(subscription: 7).bytes ?? [], as: UTF8.self)
        #expect(text.utf8.count < 1_024 && text.contains(#""list":"a""#) && !text.contains("content"))
    }
}
