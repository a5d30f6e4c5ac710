import Foundation
import Synchronization
import TestSupport
import Testing

@testable import DiffableFeed

/// Tests with real files.
@Suite struct FileWatcherTests {
    private final class Count: Sendable {
        private let value = Mutex(0)

        func add() { value.withLock { $0 += 1 } }

        /// Returns the number of events since the last call.
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
        watcher = FileWatcher()
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

    @Test func `a path leads elsewhere when a link on the way is switched, whatever the link is`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        for version in ["v1", "v2", "v3"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/all/\(version)", withIntermediateDirectories: true)
            try write(version, to: "all/\(version)/file")
        }
        mkdir("\(directory)/links", 0o700)
        symlink("all/v1", "\(directory)/current")
        symlink("../current", "\(directory)/links/relative")
        symlink("\(directory)/links/relative", "\(directory)/absolute")
        let (file, folder) = (Count(), Count())
        _ = watcher.watch(["\(directory)/absolute/file"]) { file.add() }
        _ = watcher.watchPlaces(of: ["\(directory)/absolute"]) { folder.add() }
        for (round, target) in ["all/v2", "\(directory)/all/v3", "links/../all/v1"].enumerated() {
            symlink(target, "\(directory)/new")
            rename("\(directory)/new", "\(directory)/current")
            expectTold(file, "a link that was switched to \(target)")
            expectTold(folder, "a link to a directory that was switched to \(target)")
            try write("\(round)", to: "current/file")
            expectTold(file, "the file behind \(target)")
            #expect(folder.take() == 0)
        }
        try write("nobody follows this", to: "all/v2/file")
        rename("\(directory)/all", "\(directory)/others")
        expectTold(file, "a directory above the links' targets that was renamed")
        try FileManager.default.createDirectory(atPath: "\(directory)/all/v1", withIntermediateDirectories: true)
        expectTold(file, "another that came")
        try write("1", to: "all/v1/file")
        expectTold(file, "a file in it")
    }

    @Test func `what a link no longer leads to wakes nobody`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (old, count) = (Count(), Count())
        try write("1", to: "a")
        try write("2", to: "b")
        symlink("a", "\(directory)/link")
        _ = watcher.watch(["\(directory)/link"]) { count.add() }
        symlink("b", "\(directory)/new")
        rename("\(directory)/new", "\(directory)/link")
        expectTold(count, "a link that was switched")
        _ = watcher.watch(["\(directory)/a"]) { old.add() }
        // Events about the link arrive before this one.
        try write("3", to: "b")
        expectTold(count, "the new file")
        while count.take() > 0 { usleep(50_000) }
        try write("4", to: "a")
        expectTold(old, "the old file")
        #expect(count.take() == 0)
    }

    @Test func `links that lead to each other lead nowhere until one leads to a file`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        symlink("b", "\(directory)/a")
        symlink("a", "\(directory)/b")
        _ = watcher.watch(["\(directory)/a/file"]) { count.add() }
        unlink("\(directory)/b")
        expectTold(count, "a link that went")
        mkdir("\(directory)/b", 0o700)
        expectTold(count, "a directory that came")
        try write("1", to: "b/file")
        expectTold(count, "a file behind a link")
    }

    @Test func `files beside the real file of a path are followed`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        mkdir("\(directory)/real", 0o700)
        symlink("real/x", "\(directory)/link")
        _ = watcher.watch(["\(directory)/link"], suffixes: ["-wal"]) { count.add() }
        try write("1", to: "real/x")
        expectTold(count, "a file that came behind a link")
        try write("1", to: "real/x-wal")
        expectTold(count, "a file beside it")
        while count.take() > 0 { usleep(50_000) }
        try write("2", to: "real/x-wal")
        expectTold(count, "a file beside it that was written")
    }

    @Test func `a path is resolved as the kernel does it`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let root = ResolvedPath(directory).path
        try FileManager.default.createDirectory(atPath: "\(directory)/a/b", withIntermediateDirectories: true)
        symlink("b/../b", "\(directory)/a/link")
        symlink("link", "\(directory)/a/other")
        symlink("\(directory)/a", "\(directory)/absolute")
        symlink("self", "\(directory)/self")
        for (path, real) in [
            ("a//./b/", "a/b"), ("a/b/..", "a"), ("a/link", "a/b"), ("absolute/other/..", "a"),
            ("a/b/none/more", "a/b/none/more"),
            ("absolute/link/none", "a/b/none"), ("self/x", "self/x"),
        ] {
            #expect(ResolvedPath("\(directory)/\(path)").path == "\(root)/\(real)", "\(path)")
        }
        #expect(ResolvedPath("/..//").path == "/" && ResolvedPath("/").steps.isEmpty)
        let steps = ResolvedPath("\(directory)/a/other").steps
        #expect(steps.map(\.name).suffix(4) == ["other", "link", "b", "b"])
        #expect(ResolvedPath("\(directory)/self").steps.count < 60)
        #expect(ResolvedPath("\(directory)/none/x").steps.last?.name == "none")
    }

    @Test func `mounts below a directory are found, also in names that are escaped`() {
        let mounts = Mounts(
            """
            22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
            40 22 0:45 / /mnt/share rw,relatime shared:20 master:1 - nfs4 host:/share rw
            41 22 0:46 / /mnt/my\\040disk/a rw - tmpfs none rw
            42 22 0:46 / /mnt/sharetwo rw - tmpfs none rw
            """)
        #expect(mounts.mountPoints(below: "/").count == 3 && mounts.mountPoints(below: "/mnt").count == 3)
        #expect(mounts.mountPoints(below: "/mnt/share").isEmpty)
        #expect(mounts.mountPoints(below: "/mnt/my disk") == ["41 22 0:46 / /mnt/my\\040disk/a"])
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

    @Test func `names that others make in a directory above a path are not reported by the kernel`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let count = Count()
        try FileManager.default.createDirectory(atPath: "\(directory)/a/b", withIntermediateDirectories: true)
        _ = watcher.watch(["\(directory)/a/b/file"]) { count.add() }
        let masks = try ["", "/a", "/a/b"].map { try watchedEvents(of: directory + $0) & UInt32(IN_CREATE) != 0 }
        #expect(masks == [false, false, true])
        rename("\(directory)/a", "\(directory)/c")
        expectTold(count, "a directory above that was renamed")
        #expect(try watchedEvents(of: directory) & UInt32(IN_CREATE) != 0)
        rename("\(directory)/c", "\(directory)/a")
        expectTold(count, "one that came back")
    }

    /// Returns the events for which this process watches a file, from proc_pid_fdinfo(5).
    private func watchedEvents(of path: String) throws -> UInt32 {
        var status = stat()
        #expect(stat(path, &status) == 0)
        let number = "ino:\(String(status.st_ino, radix: 16))"
        var events: UInt32 = 0
        for descriptor in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
            // Another test may close a descriptor at the same time.
            let text = try? String(contentsOfFile: "/proc/self/fdinfo/\(descriptor)", encoding: .utf8)
            for line in (text ?? "").split(separator: "\n") where line.hasPrefix("inotify") {
                let words = line.split(separator: " ")
                guard words.contains(Substring(number)) else { continue }
                let mask = words.first { $0.hasPrefix("mask:") }?.dropFirst(5)
                events |= mask.flatMap { UInt32($0, radix: 16) } ?? 0
            }
        }
        return events
    }

    /// If the kernel drops events because there are too many, every watcher looks again.
    @Test func `when events are lost, everybody is told`() throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let length = try #require(
            Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
        let (lazy, other) = (FileWatcher(), Count())
        _ = lazy.watch([directory]) {}
        _ = lazy.watch(["\(directory)/none/file"]) { other.add() }
        // The kernel merges equal consecutive events.
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
        // All events from before the stop have been delivered by now.
        _ = all.take()
        try write("3", to: "file")
        expectTold(file, "the file again")
        #expect(all.take() == 0)
    }
}
