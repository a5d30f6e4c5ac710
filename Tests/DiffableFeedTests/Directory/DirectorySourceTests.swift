import Diffable
import DiffableInput
import DiffableJSON
import Foundation
import TestSupport
import Testing

@testable import DiffableFeed

/// Tests with real directories.
@Suite struct DirectorySourceTests {
    private let directory: ScratchFolder
    private let watcher: FileWatcher

    init() throws {
        directory = try ScratchFolder()
        watcher = FileWatcher()
        watcher.start()
    }

    private func following(
        _ path: String = "", filesMax: Int = FeedLimits.filesMax,
        _ change: (inout DirectorySettings) -> Void = { _ in }, _ body: (Listed, DirectorySource) async throws -> Void
    ) async throws {
        defer { directory.remove() }
        var settings = DirectorySettings(path: path.isEmpty ? directory.path : directory.file(path))
        change(&settings)
        let (listed, source) = (Listed(), DirectorySource(settings, watcher: watcher, filesMax: filesMax))
        let run = Task { try await source.run { listed.append($0) } }
        defer { run.cancel() }
        try await body(listed, source)
        run.cancel()
        _ = await run.result
    }

    private func expect(_ listed: Listed, _ outline: [String], _ what: Comment? = nil) async throws {
        let isSo = try await eventuallyInTask { listed.outline == outline }
        #expect(isSo, "\(listed.outline ?? []) \(listed.problem ?? ""), not \(outline) \(what ?? "")")
    }

    // MARK: - Hostile directories

    @Test func `so many files are listed, and the rest when there is room`() async throws {
        for number in 10..<20 { try directory.write("", to: "\(number)") }
        for number in 0..<5 { try directory.write("", to: "z/\(number)") }
        let problem =
            "\(directory.path) contains more than 11 files (filesMax), and the list lacks some of them: lower `depth`, or list "
            + "another directory"
        try await following(filesMax: 11) { listed, source in
            let all = (10..<20).map { "\($0)" }
            // Folders are listed first.
            try await expect(listed, ["z+"] + all)
            #expect(listed.problem == nil)
            let error = await #expect(throws: (any Error).self) { try await source.open("z") }
            #expect("\(error.map { "\($0)" } ?? "")".contains("the list would have more than 11 files (filesMax)"))
            for number in 20..<30 { try directory.write("", to: "\(number)") }
            #expect(try await eventuallyInTask { listed.problem == problem }, "\(listed.problem ?? "")")
            #expect(listed.outline?.count == 11)
            for number in 10..<20 { try directory.delete("\(number)") }
            try await expect(listed, ["z+"] + (20..<30).map { "\($0)" })
            #expect(try await eventuallyInTask { listed.problem == nil })
        }
    }

    @Test func `a directory with too many files from the start is listed as far as the limit`() async throws {
        for number in 0..<50 { try directory.write("", to: "\(number)") }
        try await following(filesMax: 20) { listed, _ in
            #expect(try await eventuallyInTask { listed.problem?.contains("more than 20 files (filesMax)") == true })
            #expect(listed.outline?.count == 20)
            for number in 0..<30 { try directory.delete("\(number)") }
            #expect(try await eventuallyInTask { listed.problem == nil && listed.outline?.count == 20 })
        }
    }

    @Test(.enabled(if: geteuid() == 0, "needs root, to give a link to another user"), arguments: ["link", "way/d"])
    func `a link of another user on the path is not followed`(path: String) async throws {
        try directory.write("", to: "real/d/secret")
        try directory.link("link", to: "real/d")
        try directory.link("way", to: directory.file("real"))
        let link = directory.file(path == "link" ? "link" : "way")
        try await following(path) { listed, _ in
            try await expect(listed, ["secret"], "root's own link")
            try directory.write("", to: "real/d/more")
            try await expect(listed, ["more", "secret"])
            #expect(lchown(link, 65_534, 65_534) == 0)
            let problem = "the symbolic link \(link) belongs to the user"
            #expect(try await eventuallyInTask { listed.problem?.contains(problem) == true }, "\(listed.problem ?? "")")
            try directory.write("", to: "real/d/unseen")
            #expect(lchown(directory.file("real/d"), 65_534, 65_534) == 0)
            // The link is followed again when root owns it. The owner of the directory does not matter.
            #expect(lchown(link, 0, 0) == 0)
            try await expect(listed, ["more", "secret", "unseen"])
            #expect(listed.problem == nil)
        }
    }

    /// Another user replaces folders by links to a directory that this user cannot read, as fast as possible.
    @Test(arguments: ["", "a"])
    func `no swap of a folder for a link shows what the link leads to`(path: String) async throws {
        let secret = try ScratchFolder()
        defer { secret.remove() }
        try secret.write("", to: "x/secret")
        #expect(chmod(secret.path, 0o700) == 0)
        let program = """
            import ctypes, os, sys, time
            place, secret = sys.argv[1:]
            if os.geteuid() == 0:
                os.chown(place, 65534, 65534)
                os.setgroups([]); os.setgid(65534); os.setuid(65534)
            os.chdir(place)
            os.makedirs("a/x/inner")
            os.symlink(secret, "b")
            os.symlink(secret, "link")
            libc = ctypes.CDLL(None)
            end = time.monotonic() + 600
            count = 0
            while time.monotonic() < end:
                libc.renameat2(-100, b"a", -100, b"b", 2)
                count += 1
                if count % 64: continue
                if os.path.exists("stop"): break
                for name in ("a/x", "b/x"):
                    try:
                        os.rename(name, name + "y")
                        os.symlink(secret + "/x", name)
                        os.unlink(name)
                        os.rename(name + "y", name)
                    except OSError: pass
            """
        try await following(path, { $0.depth = 5 }) { listed, source in
            async let result = CommandRun(
                ["python3", "-c", program, directory.path, secret.path],
                environment: ["PATH=\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"], .init()
            ).result(ofInput: [])
            #expect(try await eventuallyInTask { listed.outline?.isEmpty == false })
            let begin = ContinuousClock.now
            var seen: Set<String> = []
            func hasSeen() -> Bool { seen.contains { $0.hasPrefix(path.isEmpty ? "  x" : "x") } }
            while begin.duration(to: .now) < (hasSeen() ? .seconds(2) : patience) {
                for id: ItemID in ["a", "b", "a/x", "b/x", "link"] { try? await source.open(id) }
                seen.formUnion(listed.outline ?? [])
            }
            try directory.write("", to: "stop")
            let attacker = try await result
            #expect(attacker.ending == .status(0), "\(attacker.lastComplaint ?? "")")
            #expect(hasSeen() && !seen.contains { $0.contains("secret") }, "\(seen)")
        }
    }

    @Test func `files come, change, go and have other names`() async throws {
        try directory.write("12345", to: "b")
        try await following { listed, _ in
            try await expect(listed, ["b"])
            #expect(listed.item("b")?.member("size") == "5")
            #expect(listed.item("b")?.kind == "file")
            try directory.write("1", to: "a")
            try await expect(listed, ["a", "b"])
            try directory.write("123456", to: "b")
            #expect(try await eventuallyInTask { listed.item("b")?.member("size") == "6" })
            try directory.rename("a", "c")
            try await expect(listed, ["b", "c"])
            try directory.delete("b")
            try await expect(listed, ["c"])
            try directory.write("", to: ".hidden")
            try directory.write("", to: "d")
            try await expect(listed, ["c", "d"])
        }
    }

    @Test func `folders are listed as deep as the settings say, and below that when somebody opens them`() async throws
    {
        try directory.write("", to: "a/b/c/file")
        try directory.write("", to: "e/.git/x")
        try await following("", { $0.depth = 2 }) { listed, source in
            try await expect(listed, ["a", "  b+", "e"])
            try await source.open("a/b")
            #expect(listed.outline == ["a", "  b", "    c+", "e"])
            try await source.open("a/b/c")
            #expect(listed.outline == ["a", "  b", "    c", "      file", "e"])
            try directory.write("", to: "a/b/c/more")
            try await expect(listed, ["a", "  b", "    c", "      file", "      more", "e"])
            // A folder within the depth is listed, and disappears with its name.
            try directory.write("", to: "f/x")
            try await expect(listed, ["a", "  b", "    c", "      file", "      more", "e", "f", "  x"])
            try directory.rename("a", "z")
            try await expect(listed, ["e", "f", "  x", "z", "  b", "    c", "      file", "      more"])
            try directory.write("", to: "z/b/c/again")
            try await expect(
                listed, ["e", "f", "  x", "z", "  b", "    c", "      again", "      file", "      more"])
            #expect(listed.item("z/b/c/again") != nil)
            try directory.delete("z/b")
            try await expect(listed, ["e", "f", "  x", "z"])
            try directory.write("", to: "z/b/new")
            try await expect(listed, ["e", "f", "  x", "z", "  b+"])
        }
    }

    @Test func `what cannot be opened is refused`() async throws {
        try directory.write("", to: "file")
        try directory.link("to", to: directory.path)
        try await following { listed, source in
            try await expect(listed, ["file", "to"])
            #expect(listed.item("to")?.kind == "link")
            #expect(listed.item("to")?.member("target") == directory.path)
            for (id, message): (ItemID, String) in [
                ("file", "is not a folder"), ("to", "is not a folder"), ("none", "is no longer in"),
            ] {
                let error = await #expect(throws: (any Error).self) { try await source.open(id) }
                #expect("\(error.map { "\($0)" } ?? "")".contains(message))
            }
        }
        await #expect(throws: (any Error).self) {
            try await DirectorySource(DirectorySettings(path: "/tmp"), watcher: watcher).open("x")
        }
    }

    @Test func `a directory that is not there yet is listed when it comes, and again when another one comes`()
        async throws
    {
        try await following("a/b") { listed, _ in
            #expect(try await eventuallyInTask { listed.problem?.contains("there is no directory") ?? false })
            try directory.write("", to: "a/b/x")
            try await expect(listed, ["x"])
            try directory.delete("a")
            #expect(try await eventuallyInTask { listed.problem?.contains("was moved or deleted") ?? false })
            #expect(listed.outline == ["x"])
            try directory.write("", to: "a/b/y")
            try await expect(listed, ["y"])
            #expect(listed.problem == nil)
            // Another folder takes its place.
            try directory.write("", to: "other/z")
            try directory.rename("a/b", "a/old")
            try directory.rename("other", "a/b")
            try await expect(listed, ["z"])
        }
    }

    @Test func `folders that are open are listed in a directory that takes the place of theirs`() async throws {
        for folder in ["d", "other"] { try directory.write("", to: "\(folder)/a/b/of \(folder)") }
        try await following("d") { listed, source in
            try await expect(listed, ["a+"])
            try await source.open("a")
            try await source.open("a/b")
            try directory.rename("d", "old")
            #expect(try await eventuallyInTask { listed.problem?.contains("was moved or deleted") ?? false })
            try directory.rename("other", "d")
            try await expect(listed, ["a", "  b", "    of other"])
        }
    }

    @Test func `what a list has had is listed again, as far as it is there`() async throws {
        try directory.write("", to: "a/b/file")
        try directory.write("", to: "c/file")
        try directory.makeFolder("empty")
        func item(_ id: ItemID, _ content: String = "{}", _ children: [Item] = []) throws -> Item {
            Item(id: id, kind: "directory", content: try Content(json: content), children: children)
        }
        let list = try Snapshot([
            Section(
                id: "s",
                items: [
                    try item("a", "{}", [try item("a/b", "{}", [Item(id: "a/b/gone")])]),
                    try item("c", #"{"hasChildren":true}"#), try item("empty"), try item("gone"),
                ])
        ])
        try await following { listed, source in
            try await expect(listed, ["a+", "c+", "empty+"])
            await source.resume(list)
            #expect(listed.outline == ["a", "  b", "    file", "c+", "empty"])
        }
    }

    @Test func `with every, a directory is looked at again`() async throws {
        try directory.write("", to: "a/x")
        try await following("", { ($0.depth, $0.every) = (2, .milliseconds(100)) }) { listed, _ in
            try await expect(listed, ["a", "  x"])
            try directory.write("", to: "a/y")
            try await expect(listed, ["a", "  x", "  y"])
        }
        // /proc reports no changes.
        var settings = DirectorySettings(path: "/proc/self/task")
        settings.every = .milliseconds(100)
        let (listed, source) = (Listed(), DirectorySource(settings, watcher: watcher))
        let run = Task { try await source.run { listed.append($0) } }
        #expect(try await eventuallyInTask { listed.items?.isEmpty == false })
        run.cancel()
        _ = await run.result
    }

    @Test func `a file that grows and files that come are a few states a second`() async throws {
        try await following { listed, _ in
            try await expect(listed, [])
            let start = ContinuousClock.now
            let (before, names) = (listed.count, (1...1_000).map { "f\($0)" })
            for (index, name) in names.enumerated() {
                try directory.write("", to: name)
                try directory.append("more", to: "growing")
                if index % 100 == 0 { try await Task.sleep(for: .milliseconds(5)) }
            }
            try await expect(listed, names + ["growing"])
            #expect(try await eventuallyInTask { listed.item("growing")?.member("size") == "\(4 * names.count)" })
            let most = Int((ContinuousClock.now - start) / DirectorySource.pause) + 3
            #expect(listed.count - before <= most, "\(listed.count - before) states, and \(most) are enough")
        }
    }

    @Test(arguments: [
        ("name", ["B", "d", "a1", "a9", "a10", "c"]), ("-name", ["d", "B", "c", "a10", "a9", "a1"]),
        ("size", ["B", "d", "a1", "a9", "a10", "c"]), ("-size", ["c", "a10", "a9", "a1", "B", "d"]),
        ("modified", ["c", "a1", "d", "a10", "B", "a9"]), ("-modified", ["a9", "B", "a10", "d", "a1", "c"]),
        ("type", ["B", "d", "a1", "a9", "a10", "c"]),
    ])
    func `they are in the order that the settings say`(order: String, names: [String]) async throws {
        for (name, size) in [("a1", 1), ("a9", 2), ("a10", 3), ("c", 4)] {
            try directory.write(String(repeating: "x", count: size), to: name)
        }
        for name in ["B", "d"] { try directory.makeFolder(name) }
        for (index, name) in ["c", "a1", "d", "a10", "B", "a9"].enumerated() {
            try directory.setTime(1_000_000 + index, of: name)
        }
        try await following("", { $0.order = FolderOrder(order) ?? $0.order }) { listed, _ in
            try await expect(listed, names.map { ["B", "d"].contains($0) ? "\($0)+" : $0 })
        }
    }

    @Test func `names that are no text and levels that no list has are listed as far as they can be`() async throws {
        try directory.makeFile(named: [0xFF, 0x41])
        try directory.write("", to: "a\nb")
        try directory.write("", to: "a%0Ab")
        let long = String(repeating: "ä", count: 120)
        try directory.write("", to: "\(long)/\(long)1")
        try directory.write("", to: "\(long)/\(long)2")
        let deep = (1...30).map { "d\($0)" }.joined(separator: "/")
        try directory.makeFolder(deep)
        try await following("", { $0.depth = DirectorySettings.depthMax }) { listed, source in
            #expect(try await eventuallyInTask { listed.items != nil })
            let ids = Set(listed.items?.flatMap { [$0] + $0.children }.map { "\($0.id)" } ?? [])
            #expect(ids.isSuperset(of: ["%FFA", "a%0Ab", "a%250Ab", long]))
            #expect(ids.count == 8 && ids.allSatisfy { $0.utf8.count <= 255 })
            let deepest = (1...24).map { "d\($0)" }.joined(separator: "/")
            #expect(listed.item(deepest)?.children.isEmpty == true)
            #expect(listed.item(deepest)?.member("hasChildren") == nil)
            let last = try ItemID(deepest)
            await #expect(throws: (any Error).self) { try await source.open(last) }
            #expect(throws: Never.self) { try Snapshot([Section(id: "a", items: listed.items ?? [])]) }
        }
    }
}
