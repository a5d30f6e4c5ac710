import Diffable
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiffableFeed

/// What a directory source knows, beside what is on the disk.
@Suite struct FolderTreeTests {
    private let directory: ScratchFolder

    init() throws { directory = try ScratchFolder() }

    @Test(arguments: 0..<3)
    func `whatever happens in which order, at the end what is listed is what is there`(round: Int) async throws {
        defer { directory.remove() }
        var random = SplitMix64()
        let seed = random.seed
        let watcher = try FileWatcher()
        watcher.start()
        var settings = DirectorySettings(path: directory.path)
        settings.depth = round + 1
        var naive = NaiveFolder(path: directory.path, depth: settings.depth)
        let (listed, source) = (Listed(), DirectorySource(settings, watcher: watcher))
        let run = Task { try await source.run { listed.append($0) } }
        for step in 1...300 {
            try await change(&naive, source, &random)
            guard step % 60 == 0 else { continue }
            let isSame = try await eventuallyInTask { naive.difference(from: listed.items ?? []) == nil }
            #expect(isSame, "\(naive.difference(from: listed.items ?? []) ?? "") at \(step) of the seed \(seed)")
        }
        run.cancel()
        _ = await run.result
    }

    private func change(_ naive: inout NaiveFolder, _ source: DirectorySource, _ random: inout SplitMix64) async throws
    {
        let all = naive.paths(ofFoldersOnly: false)
        let folders = [""] + naive.paths(ofFoldersOnly: true).filter { $0.split(separator: "/").count < 6 }
        let place = folders.randomElement(using: &random) ?? ""
        let name =
            (place.isEmpty ? "" : place + "/") + (["a", "b", "c", "d", "e"].randomElement(using: &random) ?? "a")
        let isThere = all.contains(name)
        switch Int.random(in: 0..<10, using: &random) {
        case 0...1 where !isThere: try directory.makeFolder(name)
        case 2...3 where !isThere: try directory.write("x", to: name)
        case 4:
            let files = Set(all).subtracting(naive.paths(ofFoldersOnly: true)).sorted()
            if let file = files.randomElement(using: &random) { try append(to: file) }
        case 5 where !isThere: try directory.link(name, to: "..")
        case 6, 7:
            guard let old = all.randomElement(using: &random), !isThere, !"\(name)/".hasPrefix("\(old)/") else {
                return
            }
            try directory.rename(old, name)
            naive.move(to: name)
        case 8:
            guard let old = all.randomElement(using: &random) else { return }
            naive.forget(old)
            try directory.delete(old)
        default:
            guard !place.isEmpty else { return }
            // One that is not listed yet, or below one that is not, cannot be opened.
            guard let id = try? ItemID(place), (try? await source.open(id)) != nil else { return }
            naive.open(place)
        }
    }

    private func append(to name: String) throws {
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: directory.file(name))) == nil else { return }
        try directory.append("more", to: name)
    }

    // MARK: - What is told late

    /// Nobody reads what the kernel tells until the test says so.
    private func held(_ depth: Int, _ body: (FolderEvents, FolderTree, Int32) throws -> Void) throws {
        defer { directory.remove() }
        var settings = DirectorySettings(path: directory.path)
        settings.depth = depth
        let events = try FolderEvents()
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let tree = try FolderTree(settings, events, descriptor)
        try body(events, tree, descriptor)
        let naive = NaiveFolder(path: directory.path, depth: depth)
        #expect(naive.difference(from: tree.takeItems(true) ?? []) == nil)
        tree.end()
    }

    @Test func `when events are lost, all that is listed is looked at`() throws {
        let length = try #require(
            Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
        try directory.makeFolder("a/b")
        try held(3) { events, tree, descriptor in
            // Two that are the same one after the other would be one.
            for _ in 0..<(length / 2 + 10) {
                mkdir(directory.file("d"), 0o700)
                rmdir(directory.file("d"))
            }
            try directory.write("", to: "a/b/file")
            try directory.rename("a", "c")
            events.gather()
            let changes = events.take()
            #expect(changes.isIncomplete)
            tree.update(changes, descriptor)
        }
    }

    /// Folders are found by way of those above them, which may have other names by then.
    @Test func `what is renamed between being told of and being looked at is found`() throws {
        try directory.makeFolder("a/b/c")
        try directory.makeFolder("x/b/c")
        try held(4) { events, tree, descriptor in
            try directory.write("", to: "a/b/c/file")
            try directory.write("", to: "x/b/other")
            events.gather()
            let changes = events.take()
            try directory.rename("a", "y")
            try directory.rename("x", "a")
            try directory.rename("y/b", "a/b/b")
            tree.update(changes, descriptor)
            events.gather()
            tree.update(events.take(), descriptor)
        }
    }

    /// A folder that is moved into one that was below it would be below itself for a moment.
    @Test func `folders that change places are never below themselves`() throws {
        try directory.makeFolder("a/b/c")
        try held(6) { events, tree, descriptor in
            try directory.write("", to: "a/b/file")
            events.gather()
            let changes = events.take()
            try directory.rename("a", "t")
            try directory.makeFolder("a")
            try directory.rename("t/b", "a/b")
            try directory.rename("t", "a/b/t")
            tree.update(changes, descriptor)
            _ = tree.takeItems(true)
            events.gather()
            tree.update(events.take(), descriptor)
            try directory.write("", to: "a/b/c/again")
            try directory.write("", to: "a/b/t/again")
            events.gather()
            tree.update(events.take(), descriptor)
        }
    }

    @Test func `a symbolic link that takes a folder's place leads nowhere`() throws {
        try directory.makeFolder("a/b")
        try directory.write("", to: "secret/b/file")
        let outside = "/tmp/diffable-outside-\(UUID().uuidString.prefix(8))"
        defer { try? FileManager.default.removeItem(atPath: outside) }
        try FileManager.default.createDirectory(atPath: outside + "/b/inner", withIntermediateDirectories: true)
        try held(4) { events, tree, descriptor in
            try directory.write("", to: "a/b/file")
            events.gather()
            let changes = events.take()
            try directory.rename("a", "old")
            try directory.link("a", to: outside)
            tree.update(changes, descriptor)
            let names = tree.takeItems(true)?.flatMap(\.children).flatMap(\.children).map { "\($0.id)" }
            #expect(names?.contains { $0.hasSuffix("inner") } == false)
            events.gather()
            tree.update(events.take(), descriptor)
        }
    }
}
