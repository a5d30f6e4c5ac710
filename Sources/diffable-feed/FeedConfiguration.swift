import Diffable
import DiffableFeed
import DiffableJSON
import Foundation
import Glibc
import ProcessArguments

/// The file of feeds: where it is, and what it says.
struct FeedConfiguration {
    private let named: String?
    private let environment: [String: String]
    private let userID: UInt32
    private let board: ListName

    init(file: String?, environment: [String: String], userID: UInt32, board: ListName) {
        named = file
        self.environment = environment
        self.userID = userID
        self.board = board
    }

    /// Nil when there is no place for it.
    var path: String? {
        if let named = named ?? environment["DIFFABLED_FEEDS"] { return named }
        if userID == 0 { return "/etc/diffabled/feeds.yaml" }
        if let directory = directory("XDG_CONFIG_HOME") { return directory + "/diffabled/feeds.yaml" }
        return directory("HOME").map { $0 + "/.config/diffabled/feeds.yaml" }
    }

    func read() throws(FeedExit) -> [FeedSettings] {
        guard let path else { throw failure("neither XDG_CONFIG_HOME nor HOME is set: use --config FILE") }
        let text = try text(of: path)
        do {
            let file = try FeedFile(yaml: text, home: directory("HOME"))
            guard !file.feeds.contains(where: { $0.list == board }) else {
                throw failure("\(path): \(Self.boardIsNoFeed(board))")
            }
            return file.feeds
        } catch let error as FeedExit {
            throw error
        } catch {
            throw failure("\(error)".split(separator: "\n").map { "\(path): \($0)" }.joined(separator: "\n"))
        }
    }

    /// Why no feed is for this list.
    static func boardIsNoFeed(_ board: ListName) -> String {
        "the list \(board) has the status of the feeds; use --feeds to name another list for that"
    }

    private func text(of path: String) throws(FeedExit) -> String {
        guard let handle = FileHandle(forReadingAtPath: path) else {
            throw failure("the file \(path) cannot be read: \(String(cString: strerror(errno)))")
        }
        var isDirectory: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory)
        if isDirectory.boolValue { throw failure("\(path) is a directory: --config names the file in it") }
        let bytes: Data
        do { bytes = try handle.readToEnd() ?? Data() } catch {
            throw failure("the file \(path) cannot be read: \(error)")
        }
        // It is in paths and words, which are never silently others.
        guard let text = String(validating: bytes.withoutByteOrderMark(), as: UTF8.self) else {
            throw failure("the file \(path) is not valid UTF-8")
        }
        return text
    }

    private func failure(_ message: String) -> FeedExit { FeedExit(status: FeedExit.configuration, message: message) }

    private func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
}
