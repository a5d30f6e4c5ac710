import Diffable
import Foundation
import GRDB
import Testing
import TestSupport

@testable import DiffableStore

struct VacuumTests {
    private let directory = ScratchDirectory()
    private let limits = StoreLimits(idleMilliseconds: 20)

    private var fileLength: Int {
        get throws {
            let attributes = try FileManager.default.attributesOfItem(atPath: directory.databasePath)
            return try #require(attributes[.size] as? Int)
        }
    }

    private func fill(_ store: Store, _ list: ListName, length: Int) async throws {
        _ = try await store.creating(list, .durable).get()
        let content = Content(Array("\"\(String(repeating: "x", count: 10_000))\"".utf8))
        for number in 0..<length / 10_000 {
            let section = Section(id: try SectionID("\(number)"), content: content)
            _ = try await store.transacting(list, [.appendSections([section])]).get()
        }
    }

    @Test func `the file becomes shorter when a list is deleted for good, and what is kept stays good`() async throws {
        let store = try await directory.open(limits: limits)
        try await fill(store, "small", length: 100_000)
        try await fill(store, "large", length: 6_000_000)
        try await fill(store, "other", length: 100_000)
        await store.settleOnDisk()
        #expect(try await eventuallyInTask { try fileLength > 6_000_000 })
        _ = try await store.deleting("large", keeping: .never).get()
        #expect(try await eventuallyInTask { try fileLength < 2_000_000 })
        let before = await store.lists.map(Remembered.init)
        await store.shutDown()
        let again = try await directory.open(limits: limits)
        #expect(await again.lists.map(Remembered.init) == before)
        await again.shutDown()
    }

    @Test func `a repair finds the tables behind a damaged first page`() async throws {
        let store = try await directory.open(limits: limits)
        try await fill(store, "tasks", length: 500_000)
        let before = await store.lists.map(\.snapshot.numberOfSections)
        await store.shutDown()
        let path = URL(filePath: directory.databasePath)
        let file = try Data(contentsOf: path)
        try (Data(repeating: 0, count: 4_096) + file.dropFirst(4_096)).write(to: path)
        #expect(try OfflineStore(directory: directory.path).repair(keepingIn: "kept").keptIn != nil)
        let again = try await directory.open(limits: limits)
        #expect(await again.lists.map(\.snapshot.numberOfSections) == before)
        await again.shutDown()
    }
}
