import Foundation
import Testing

@testable import DiffableWeb

/// Files of `--pages`: never outside the directory.
@Suite struct UserPagesTests {
    private let scratch = Scratch()

    private func pages() throws -> UserPages {
        let files = FileManager.default
        try files.createDirectory(atPath: scratch.path + "/pages/sub/.git", withIntermediateDirectories: true)
        for name in [
            "outside", "pages/a.html", "pages/index.html", "pages/sub/b.js", "pages/.hidden", "pages/sub/.git/config",
        ] {
            try Data(name.utf8).write(to: URL(filePath: "\(scratch.path)/\(name)"))
        }
        for (name, target) in [
            ("pages/link", "../outside"), ("pages/inside", "a.html"), ("pages/up", ".."), ("pages/folder", "sub"),
        ] { try files.createSymbolicLink(atPath: "\(scratch.path)/\(name)", withDestinationPath: target) }
        try #require(mkfifo("\(scratch.path)/pages/pipe", 0o600) == 0)
        return try UserPages(directory: scratch.path + "/pages")
    }

    private func text(_ pages: UserPages, _ path: String) -> String? {
        guard let file = pages.open(path.split(separator: "/", omittingEmptySubsequences: false).map(String.init))
        else {
            return nil
        }
        defer { close(file.descriptor) }
        var bytes = [UInt8](repeating: 0, count: file.length)
        return read(file.descriptor, &bytes, bytes.count) == bytes.count ? String(decoding: bytes, as: UTF8.self) : nil
    }

    @Test func `files and those of folders are served`() throws {
        let pages = try pages()
        #expect(text(pages, "a.html") == "pages/a.html")
        #expect(text(pages, "") == "pages/index.html")
        #expect(text(pages, "sub/b.js") == "pages/sub/b.js")
    }

    @Test func `nothing outside the directory, no hidden file and no link is served`() throws {
        let pages = try pages()
        for path in [
            "../outside", "sub/../a.html", "./a.html", ".hidden", "sub/.git/config", "link", "inside", "up/outside",
            "folder/b.js",
            "sub", "sub/", "pipe", "nothing", "a.html/", "a.html/x", "/a.html", "..",
        ] { #expect(text(pages, path) == nil, "\(path)") }
    }

    /// A folder is swapped for a link to a secret directory, over and over, while it is read.
    @Test func `no swap of a folder for a link leads out of the pages`() throws {
        let pages = try pages()
        let files = FileManager.default
        try files.createDirectory(atPath: scratch.path + "/secret", withIntermediateDirectories: true)
        try Data("secret".utf8).write(to: URL(filePath: "\(scratch.path)/secret/b.js"))
        try files.createSymbolicLink(atPath: "\(scratch.path)/trap", withDestinationPath: scratch.path + "/secret")
        let end = Date(timeIntervalSinceNow: 0.5)
        let path = scratch.path
        let thread = Thread {
            while Date() < end {
                rename("\(path)/pages/sub", "\(path)/kept")
                rename("\(path)/trap", "\(path)/pages/sub")
                rename("\(path)/pages/sub", "\(path)/trap")
                rename("\(path)/kept", "\(path)/pages/sub")
            }
        }
        thread.start()
        var served = 0
        while Date() < end {
            let text = text(pages, "sub/b.js")
            if text != nil { served += 1 }
            #expect(text == nil || text == "pages/sub/b.js")
        }
        #expect(served > 0)
        while !thread.isFinished { usleep(1_000) }
    }
}
