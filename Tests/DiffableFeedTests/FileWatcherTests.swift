import DiffableFeed
import Foundation
import Synchronization
import TestSupport
import Testing

/// Files that really change.
@Suite struct FileWatcherTests {
    private final class Count: Sendable {
        private let value = Mutex(0)

        func add() { value.withLock { $0 += 1 } }

        /// So many since it was asked for last.
        func take() -> Int {
            value.withLock { value in
                defer { value = 0 }
                return value
            }
        }
    }

    private let directory: String
    private let watcher: FileWatcher

    init() throws {
        directory = FileManager.default.temporaryDirectory.path + "/diffable-watch-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        watcher = try FileWatcher()
        watcher.start()
    }

    private func write(_ text: String, to name: String) throws {
        let handle = fopen("\(directory)/\(name)", "w")
        fputs(text, handle)
        fclose(handle)
    }

    private func expectTold(_ count: Count, _ what: String) { #expect(eventually { count.take() > 0 }, "\(what)") }

    @Test func `a file is followed when it is written, replaced, deleted, and comes again`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        _ = watcher.watch(["\(directory)/a/b/file"]) { count.add() }
        try FileManager.default.createDirectory(atPath: "\(directory)/a/b", withIntermediateDirectories: true)
        expectTold(count, "directories that came")
        try write("1", to: "a/b/file")
        expectTold(count, "a file that came")
        try write("2", to: "a/b/file")
        expectTold(count, "a file that was written")
        for round in 0..<3 {
            try write("3", to: "a/b/other")
            rename("\(directory)/a/b/other", "\(directory)/a/b/file")
            expectTold(count, "a file that was replaced \(round)")
            try write("4", to: "a/b/file")
            expectTold(count, "one that was written after that")
        }
        unlink("\(directory)/a/b/file")
        expectTold(count, "a file that was deleted")
        try FileManager.default.removeItem(atPath: "\(directory)/a")
        try FileManager.default.createDirectory(atPath: "\(directory)/a/b", withIntermediateDirectories: true)
        try write("5", to: "a/b/file")
        #expect(eventually { count.take() > 0 })
        try write("6", to: "a/b/file")
        expectTold(count, "one in directories that were made anew")
    }

    @Test func `what a symbolic link leads to is followed where it is`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        try FileManager.default.createDirectory(atPath: "\(directory)/real", withIntermediateDirectories: true)
        try write("1", to: "real/file")
        symlink("\(directory)/real/file", "\(directory)/link")
        _ = watcher.watch(["\(directory)/link"]) { count.add() }
        try write("2", to: "real/other")
        rename("\(directory)/real/other", "\(directory)/real/file")
        expectTold(count, "another file at the end of the link")
    }

    @Test func `a file is followed when the directory that it will be in is made anew`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        try FileManager.default.createDirectory(atPath: "\(directory)/a", withIntermediateDirectories: true)
        _ = watcher.watch(["\(directory)/a/file"]) { count.add() }
        rmdir("\(directory)/a")
        expectTold(count, "a directory that was deleted")
        mkdir("\(directory)/a", 0o700)
        expectTold(count, "one that came")
        try write("1", to: "a/file")
        expectTold(count, "a file in it")
    }

    @Test func `of places it is told when they come and go, and not what happens in them`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (place, all) = (Count(), Count())
        try FileManager.default.createDirectory(atPath: "\(directory)/a", withIntermediateDirectories: true)
        _ = watcher.watchPlaces(of: ["\(directory)/a"]) { place.add() }
        _ = watcher.watch(["\(directory)/a"]) { all.add() }
        try write("1", to: "a/file")
        expectTold(all, "a file in it")
        #expect(place.take() == 0)
        rename("\(directory)/a", "\(directory)/b")
        expectTold(place, "a place that is left")
        mkdir("\(directory)/a", 0o700)
        expectTold(place, "another that comes")
    }

    /// So many events at once that the kernel drops some: everybody looks again.
    @Test func `when events are lost, everybody is told`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let length = try #require(
            Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
        let (lazy, other) = (try FileWatcher(), Count())
        _ = lazy.watch([directory]) {}
        _ = lazy.watch(["\(directory)/none/file"]) { other.add() }
        // Two that are the same one after the other would be one.
        for _ in 0..<(length / 2 + 10) {
            mkdir("\(directory)/d", 0o700)
            rmdir("\(directory)/d")
        }
        lazy.start()
        expectTold(other, "events that were lost")
    }

    @Test func `what a directory has is followed, and what is beside a file is not`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (file, all) = (Count(), Count())
        try write("1", to: "file")
        _ = watcher.watch(["\(directory)/file"]) { file.add() }
        let ticket = watcher.watch([directory]) { all.add() }
        try write("1", to: "other")
        expectTold(all, "a file in a directory")
        #expect(file.take() == 0)
        watcher.stop(ticket)
        try write("2", to: "file")
        expectTold(file, "the file")
        // What it was about to be told when it was stopped has been told by now.
        _ = all.take()
        try write("3", to: "file")
        expectTold(file, "the file again")
        #expect(all.take() == 0)
    }
}
