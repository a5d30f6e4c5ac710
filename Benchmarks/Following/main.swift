// Follows a list as a program that shows it: `FollowingBenchmark SOCKET LIST typed
// untyped`. After each update it writes the revision and the number of contents decoded so far. The calling script measures its
// CPU time.
import DiffableClient
import Foundation
import Synchronization

struct Row: Decodable, Sendable {
    static let decoded = Atomic(0)

    var text: String
    var done: Bool
    var due: Int

    private enum CodingKeys: CodingKey { case text, done, due }

    init(from decoder: any Swift.Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        text = try members.decode(String.self, forKey: .text)
        done = try members.decode(Bool.self, forKey: .done)
        due = try members.decode(Int.self, forKey: .due)
        Self.decoded.add(1, ordering: .relaxed)
    }
}

func follow<Value>(_ list: ListUpdates<Value>, _ show: (Value) -> Void) async throws {
    for try await update in list {
        for path in update.changes.reconfiguredItems {
            guard let item = update.snapshot[path] else { continue }
            show(item.content)
        }
        let line = "\(update.revision) \(Row.decoded.load(ordering: .relaxed))\n"
        FileHandle.standardOutput.write(Data(line.utf8))
    }
}

let arguments = CommandLine.arguments
guard arguments.count == 4, ["typed", "untyped"].contains(arguments[3]) else {
    FileHandle.standardError.write(Data("usage: FollowingBenchmark SOCKET LIST typed|untyped\n".utf8))
    exit(64)
}
let client = Client(socket: SocketPath(arguments[1]))
let list = try ListName(arguments[2])
// The result is used, so that the optimizer removes nothing.
var shown = 0
if arguments[3] == "typed" {
    try await follow(client.list(list, as: Row.self)) { shown &+= $0.text.utf8.count }
} else {
    try await follow(client.list(list)) { shown &+= $0?.bytes.count ?? 0 }
}
