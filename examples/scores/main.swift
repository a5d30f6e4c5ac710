// Keeps the list "scores" what a database says: `scores FILE`. A line "Anna 12" on standard input sets a player's points.
import DiffableClient
import Foundation
import GRDB

struct Player: Codable, FetchableRecord, PersistableRecord {
    static let databaseTableName = "player"
    var name: String
    var points: Int
}

let database = try DatabaseQueue(path: CommandLine.arguments[1])
try database.write { database in
    try database.create(table: "player", options: .ifNotExists) { table in
        table.primaryKey("name", .text)
        table.column("points", .integer).notNull()
    }
}

// Each state is all players, whatever was written; GRDB looks again when the table has changed.
let players = ValueObservation.tracking { database in
    try Player.order(Column("points").desc, Column("name")).fetchAll(database)
}
let states = players.values(in: database, bufferingPolicy: .bufferingNewest(1)).map { players in
    [Section(id: "players", items: try players.map { try Item(ItemID($0.name), encoding: $0) })]
}
let publishing = Task.detached {
    do { try await Client(name: "scores").publish("scores", from: states) } catch {
        FileHandle.standardError.write(Data("scores: \(error)\n".utf8))
        exit(1)
    }
}

while let line = readLine() {
    let words = line.split(separator: " ")
    guard words.count == 2, let points = Int(words[1]) else { continue }
    try database.write { try Player(name: String(words[0]), points: points).upsert($0) }
}
publishing.cancel()
