import Diffable
import DiffableFeed
import DiffableJSON
import Files
import ProcessArguments

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

    /// Nil if no directory for it is known.
    var path: String? {
        if let named = named ?? environment["DIFFABLED_FEEDS"] { return named }
        if userID == 0 { return "/etc/diffabled/feeds.yaml" }
        if let directory = directory("XDG_CONFIG_HOME") { return directory + "/diffabled/feeds.yaml" }
        return directory("HOME").map { $0 + "/.config/diffabled/feeds.yaml" }
    }

    func read() throws(FeedExit) -> [FeedSettings] {
        guard let path else {
            throw failure("neither XDG_CONFIG_HOME nor HOME is set, so no file of feeds is known: use --config FILE")
        }
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

    static func boardIsNoFeed(_ board: ListName) -> String {
        "no feed can fill the list \"\(board)\", which shows the status of the feeds; use --feeds to show it in another list"
    }

    private func text(of path: String) throws(FeedExit) -> String {
        let bytes: [UInt8]
        do throws(UntrustedPath) { bytes = try TrustedPath.contents(ofFile: path) } catch {
            if error.isDirectory { throw failure("\(path) is a directory: name the file in it with --config") }
            throw failure(
                "the file \(path) cannot be read: \(error.reason(for: path)); name another file of feeds with --config, or run one "
                    + "feed with diffable-feed LIST -- COMMAND")
        }
        // Invalid bytes may be in paths and words, which must never be changed silently.
        guard let text = String(validating: bytes.withoutByteOrderMark(), as: UTF8.self) else {
            throw failure("the file \(path) is not valid UTF-8; save it as UTF-8")
        }
        return text
    }

    private func failure(_ message: String) -> FeedExit { FeedExit(status: FeedExit.configuration, message: message) }

    private func directory(_ name: String) -> String? { ProcessEnvironment.directory(name, in: environment) }
}
