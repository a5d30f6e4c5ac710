import Diffable
import Foundation
import Glibc
import TestSupport
import Testing

@testable import DiffableFeed

/// The state of a directory source, compared with the disk.
@Suite struct FolderTreeTests {
    private let directory: ScratchFolder

    init() throws { directory = try ScratchFolder() }

    @Test(arguments: 0..<3)
    func `whatever happens in which order, at the end what is listed is what is there`(round: Int) async throws {
        defer { directory.remove() }
        var random = SplitMix64()
        let seed = random.seed
        let watcher = FileWatcher()
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
            // A folder that is not listed yet, or is below such a folder, cannot be opened.
            guard let id = try? ItemID(place), (try? await source.open(id)) != nil else { return }
            naive.open(place)
        }
    }

    private func append(to name: String) throws {
        guard (try? FileManager.default.destinationOfSymbolicLink(atPath: directory.file(name))) == nil else { return }
        try directory.append("more", to: name)
    }

    // MARK: - Late events

    /// Holds back the kernel's events until the test releases them.
    ///
    /// - Parameter opened: opened folders, by their names at the end.
    private func held(
        _ depth: Int, opened: [String] = [], _ body: (FolderEvents, FolderTree, Int32) throws -> Void
    ) throws {
        defer { directory.remove() }
        var settings = DirectorySettings(path: directory.path)
        settings.depth = depth
        let events = try FolderEvents()
        let descriptor = open(directory.path, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let tree = try FolderTree(settings, events, descriptor)
        try body(events, tree, descriptor)
        var naive = NaiveFolder(path: directory.path, depth: depth)
        for name in opened { naive.open(name) }
        #expect(naive.difference(from: tree.takeItems(true) ?? []) == nil)
        tree.end()
    }

    /// Returns all listed names; `+` marks folders that are not open, `!` unreadable ones.
    private func outline(_ tree: FolderTree) -> [String] {
        func lines(_ items: [Item]) -> [String] {
            items.flatMap { item in
                let sign = item.member("problem") != nil ? "!" : item.member("hasChildren") != nil ? "+" : ""
                return ["\(item.id)\(sign)"] + lines(item.children)
            }
        }
        return lines(tree.takeItems(true) ?? [])
    }

    private func setMode(_ mode: mode_t, of name: String) { #expect(chmod(directory.file(name), mode) == 0) }

    @Test func `when events are lost, all that is listed is looked at`() throws {
        let length = try #require(
            Int(String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8).dropLast()))
        try directory.makeFolder("a/b")
        try held(3) { events, tree, descriptor in
            // The kernel merges equal consecutive events.
            for _ in 0..<(length / 2 + 10) {
                mkdir(directory.file("d"), 0o700)
                rmdir(directory.file("d"))
            }
            try directory.write("", to: "a/b/file")
            try directory.rename("a", "c")
            events.readEvents()
            let changes = events.takeChanges()
            #expect(changes.isIncomplete)
            tree.update(changes, descriptor)
        }
    }

    /// Folders are found through their parents, which may have other names by then.
    @Test func `what is renamed between being told of and being looked at is found`() throws {
        try directory.makeFolder("a/b/c")
        try directory.makeFolder("x/b/c")
        try held(4) { events, tree, descriptor in
            try directory.write("", to: "a/b/c/file")
            try directory.write("", to: "x/b/other")
            events.readEvents()
            let changes = events.takeChanges()
            try directory.rename("a", "y")
            try directory.rename("x", "a")
            try directory.rename("y/b", "a/b/b")
            tree.update(changes, descriptor)
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
        }
    }

    /// A folder that is moved into its own descendant would be below itself for a moment.
    @Test func `folders that change places are never below themselves`() throws {
        try directory.makeFolder("a/b/c")
        try held(6) { events, tree, descriptor in
            try directory.write("", to: "a/b/file")
            events.readEvents()
            let changes = events.takeChanges()
            try directory.rename("a", "t")
            try directory.makeFolder("a")
            try directory.rename("t/b", "a/b")
            try directory.rename("t", "a/b/t")
            tree.update(changes, descriptor)
            _ = tree.takeItems(true)
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
            try directory.write("", to: "a/b/c/again")
            try directory.write("", to: "a/b/t/again")
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
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
            events.readEvents()
            let changes = events.takeChanges()
            try directory.rename("a", "old")
            try directory.link("a", to: outside)
            tree.update(changes, descriptor)
            let names = tree.takeItems(true)?.flatMap(\.children).flatMap(\.children).map { "\($0.id)" }
            #expect(names?.contains { $0.hasSuffix("inner") } == false)
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
        }
    }

    // MARK: - Recognized files

    @Test func `what was written to below a folder that was moved is there when it is found again`() throws {
        try directory.write("", to: "p/c/old")
        try directory.makeFolder("x")
        try held(1, opened: ["x", "x/p", "x/p/c"]) { events, tree, descriptor in
            try tree.open("p", descriptor)
            try tree.open("p/c", descriptor)
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
            try directory.rename("p", "x/p")
            try directory.write("", to: "x/p/c/new")
            try directory.delete("x/p/c/old")
            events.readEvents()
            tree.update(events.takeChanges(), descriptor)
            #expect(outline(tree) == ["x+"])
            try tree.open("x", descriptor)
            #expect(outline(tree) == ["x", "x/p", "x/p/c", "x/p/c/new"])
        }
    }

    @Test func `a folder that was moved out of sight is forgotten, whatever was written below it`() throws {
        try directory.write("", to: "p/c/old")
        try directory.makeFolder("x")
        try held(1, opened: ["x"]) { events, tree, descriptor in
            try tree.open("p", descriptor)
            try tree.open("p/c", descriptor)
            try directory.rename("p", "x/p")
            try directory.write("", to: "x/p/c/new")
            for _ in 1...3 {
                events.readEvents()
                tree.update(events.takeChanges(), descriptor)
            }
            #expect(!tree.isSearching)
            try tree.open("x", descriptor)
            #expect(outline(tree) == ["x", "x/p+"])
        }
    }

    /// File systems reuse the inode number of a deleted file.
    @Test func `a new folder is not the one that was deleted, though it has its number`() throws {
        try directory.makeFolder("s/t")
        try held(1, opened: ["s"]) { events, tree, descriptor in
            try tree.open("s", descriptor)
            var old = "t"
            // The folder is read before it is deleted, or when the new one already exists.
            for (new, isReadBefore) in [
                ("quite-new", true), ("quite-new", true), ("t", true), ("t", false), ("quite-new", false),
            ] {
                try tree.open(ItemID("s/\(old)"), descriptor)
                setMode(0o700, of: "s")
                events.readEvents()
                let changes = events.takeChanges()
                if isReadBefore { tree.update(changes, descriptor) }
                try directory.delete("s/\(old)")
                try directory.write("", to: "s/\(new)/n1")
                if !isReadBefore { tree.update(changes, descriptor) }
                events.readEvents()
                tree.update(events.takeChanges(), descriptor)
                #expect(outline(tree) == ["s", "s/\(new)+"])
                old = new
            }
        }
    }

    // MARK: - Unreadable folders

    /// This holds even while files below the folder change.
    @Test(.enabled(if: Nobody.isPossible), arguments: [mode_t(0), 0o444, 0o600, 0o311], ["B", "B/C"])
    func `a folder that cannot be read any more says so, until it can be`(mode: mode_t, name: String) throws {
        try directory.write("", to: "B/C/D/file")
        try directory.write("", to: "B/E/file")
        let whole = ["B", "B/C", "B/C/D", "B/C/D/file", "B/E+"]
        let file = open(directory.file("B/C/D/file"), O_WRONLY)
        defer { close(file) }
        try held(2, opened: ["B/C", "B/C/D"]) { events, tree, descriptor in
            func look() {
                events.readEvents()
                Nobody.act { tree.update(events.takeChanges(), descriptor) }
            }
            for id: ItemID in ["B/C", "B/C/D"] {
                #expect(throws: Never.self) { try Nobody.act { try tree.open(id, descriptor) } }
            }
            #expect(outline(tree) == whole)
            setMode(mode, of: name)
            #expect(write(file, "more", 4) == 4)
            look()
            let outlineThen = name == "B" ? ["B!"] : ["B", "B/C!", "B/E+"]
            #expect(outline(tree) == outlineThen)
            let id = try ItemID(name)
            #expect(throws: FeedError.self) { try Nobody.act { try tree.open(id, descriptor) } }
            Nobody.act { tree.rescan(descriptor) }
            #expect(outline(tree) == outlineThen)
            setMode(0o755, of: name)
            look()
            #expect(outline(tree) == whole)
        }
    }

    @Test(.enabled(if: Nobody.isPossible))
    func `a folder of which nothing but names can be read says so`() throws {
        defer { directory.remove() }
        try directory.write("", to: "rx/file")
        try directory.makeFolder("empty")
        func setModes(_ mode: mode_t) { for name in ["rx", "empty"] { setMode(mode, of: name) } }
        setModes(0o444)
        var settings = DirectorySettings(path: directory.path)
        settings.depth = 2
        let (events, descriptor) = (try FolderEvents(), open(directory.path, O_RDONLY | O_DIRECTORY))
        defer { close(descriptor) }
        let tree = try Nobody.act { try FolderTree(settings, events, descriptor) }
        #expect(outline(tree) == ["empty!", "rx!"])
        setModes(0o755)
        events.readEvents()
        Nobody.act { tree.update(events.takeChanges(), descriptor) }
        #expect(outline(tree) == ["empty", "rx", "rx/file"])
        tree.end()
        // The top folder.
        setMode(0o444, of: "rx")
        let path = directory.file("rx")
        let error = #expect(throws: FeedError.self) {
            try Nobody.act { close(try Folder.open(path: path)) }
        }
        #expect(error?.description.contains("Permission denied") == true)
    }
}
