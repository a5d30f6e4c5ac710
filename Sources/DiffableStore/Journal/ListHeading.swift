import Diffable
import GRDB

/// A row of the table `list` or `deletedList`: a list's identity, access and checkpoint.
struct ListHeading {
    let number: Int
    var name: String
    var epoch: String
    let generation: Int
    let checkpointRevision: Int
    let checkpointChecksum: Int64
    let lastReloadRevision: Int
    let chain: ChecksumChain
    var access: AccessRecord
    /// Nil for an existing list. Determines the table of the row.
    var deletion: Deletion?

    static let checksumOfNoParts = Checksum(3)

    /// Creates the heading of a list with a checkpoint at `end`.
    /// - Parameter checkpointChecksum: over the checksums of the checkpoint's parts.
    init(
        _ end: JournalledList.RowEnd, generation: Int, checkpointChecksum: Checksum, access: AccessRecord,
        deletion: Deletion? = nil
    ) {
        number = end.state.number
        name = end.state.name.description
        epoch = end.state.epoch
        self.generation = generation
        checkpointRevision = end.state.revision
        self.checkpointChecksum = checkpointChecksum.signed
        lastReloadRevision = end.state.lastReloadRevision
        chain = end.chain
        self.access = access
        self.deletion = deletion
    }

    init(begin state: ListState, access: AccessRecord) {
        self.init(
            JournalledList.RowEnd(state: state, chain: ChecksumChain(begin: state)), generation: 0,
            checkpointChecksum: Self.checksumOfNoParts, access: access)
    }

    var checksum: Int64 {
        var sum = Checksum(4)
        sum.add(number)
        sum.add(name)
        sum.add(epoch)
        sum.add(generation)
        sum.add(checkpointRevision)
        sum.add(checkpointChecksum)
        sum.add(lastReloadRevision)
        sum.add(chain.value)
        access.add(to: &sum)
        deletion?.add(to: &sum)
        return sum.signed
    }
}

extension AccessRecord {
    /// Adds the attributes that were set. Adds nothing for an empty record.
    func add(to sum: inout Checksum) {
        if isEmpty { return }
        sum.add(owner.map { Int($0) } ?? -1)
        sum.add(group.map { Int($0) } ?? -1)
        sum.add(mode.map { Int($0.bits) } ?? -1)
        if let source { sum.add(source.description) }
        if let sharingText { sum.add(sharingText) }
    }
}

extension AccessRecord {
    /// The representation in the database: `12 00f3a1b2c3d4e5f6 {"owner":"anna"}`. The names are left out if there are none.
    var sharingText: String? {
        guard let sharing else { return nil }
        let names = SharedAccess(owner: ownerName, group: groupName)
        return names == SharedAccess() ? "\(sharing)" : "\(sharing) \(names.text)"
    }

    mutating func readSharing(_ text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count >= 2, let position = SharedPosition("\(parts[0]) \(parts[1])") else { return }
        sharing = position
        guard parts.count == 3 else { return }
        let names = SharedAccess(String(parts[2]))
        (ownerName, groupName) = (names.owner, names.group)
    }
}

extension Deletion {
    func add(to sum: inout Checksum) {
        moment.add(to: &sum)
        Origin.add(origin, to: &sum)
    }
}

// MARK: - In the database

extension ListHeading {
    /// The rows of all existing lists, then those of deleted lists.
    static func all(in database: Database) throws -> [(heading: ListHeading, checksum: Int64)] {
        try existing(in: database) + deleted(in: database)
    }

    static func existing(in database: Database) throws -> [(heading: ListHeading, checksum: Int64)] {
        let rows = try Row.fetchCursor(database, sql: "SELECT \(columns) FROM list ORDER BY number")
        return try Array(rows.map { (try ListHeading($0), try $0.decode(Int64.self, atIndex: 8)) })
    }

    static func deleted(in database: Database) throws -> [(heading: ListHeading, checksum: Int64)] {
        try Row.fetchAll(database, sql: "SELECT \(columns), \(deletionColumns) FROM deletedList ORDER BY number").map {
            var heading = try ListHeading($0)
            heading.deletion = try Deletion($0, from: 14)
            return (heading, try $0.decode(Int64.self, atIndex: 8))
        }
    }

    /// Deletes a list's row and returns it, so that it can be inserted with changes.
    static func remove(_ number: Int, from table: String, of database: Database) throws -> ListHeading? {
        let heading = try Row.fetchOne(
            database, sql: "SELECT \(columns) FROM \(table) WHERE number = ?", arguments: [number]
        ).map(ListHeading.init)
        try database.cachedStatement(sql: "DELETE FROM \(table) WHERE number = ?").execute(arguments: [number])
        return heading
    }

    static func fetch(_ number: Int, in database: Database) throws -> ListHeading? {
        try Row.fetchOne(database, sql: "SELECT \(columns) FROM list WHERE number = ?", arguments: [number])
            .map(ListHeading.init)
    }

    private static let columns = """
        number, name, epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision, chain, checksum,
        owner, ownerGroup, mode, source, sharing
        """
    private static let deletionColumns = "time, runningTime, isOriginKnown, process, user, client"

    private init(_ row: Row) throws {
        number = try row.decode(Int.self, atIndex: 0).boundedNatural
        name = try row.decode(String.self, atIndex: 1)
        epoch = try row.decode(String.self, atIndex: 2)
        generation = try row.decode(Int.self, atIndex: 3).boundedNatural
        checkpointRevision = try row.decode(Int.self, atIndex: 4).boundedNatural
        checkpointChecksum = try row.decode(Int64.self, atIndex: 5)
        lastReloadRevision = try row.decode(Int.self, atIndex: 6).boundedNatural
        chain = ChecksumChain(value: try row.decode(Int64.self, atIndex: 7))
        // A value out of range cannot have been part of the checksum.
        access = AccessRecord(
            owner: try row.decode(Int?.self, atIndex: 9).flatMap(UInt32.init(exactly:)),
            group: try row.decode(Int?.self, atIndex: 10).flatMap(UInt32.init(exactly:)),
            mode: try row.decode(Int?.self, atIndex: 11).flatMap(AccessMode.init(bits:)),
            source: try row.decode(String?.self, atIndex: 12).flatMap { try? MirrorSource($0) })
        if let sharing = try row.decode(String?.self, atIndex: 13) { access.readSharing(sharing) }
    }

    func insert(into database: Database) throws {
        let arguments: StatementArguments = [
            number, name, epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision, chain.value,
            checksum, access.owner, access.group, access.mode?.bits,
        ]
        let source: StatementArguments = [access.source?.description, access.sharingText]
        guard let deletion else {
            let sql = "INSERT INTO list VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
            return try database.cachedStatement(sql: sql).execute(arguments: arguments + source)
        }
        let sql = "INSERT INTO deletedList VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        try database.cachedStatement(sql: sql).execute(arguments: arguments + deletion.arguments + source)
    }

    func update(in database: Database) throws {
        let sql = """
            UPDATE \(deletion == nil ? "list" : "deletedList")
            SET epoch = ?, generation = ?, checkpointRevision = ?, checkpointChecksum = ?,
                lastReloadRevision = ?, chain = ?, checksum = ?, owner = ?, ownerGroup = ?, mode = ?, source = ?,
                sharing = ?
            WHERE number = ?
            """
        try database.cachedStatement(sql: sql)
            .execute(arguments: [
                epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision, chain.value, checksum,
                access.owner, access.group, access.mode?.bits, access.source?.description, access.sharingText,
                number,
            ])
    }
}

extension Deletion {
    fileprivate init(_ row: Row, from index: Int) throws {
        moment = try Moment(row, from: index)
        origin = try Origin(row, from: index + Moment.columnCount)
    }

    fileprivate var arguments: StatementArguments { moment.arguments + Origin.arguments(of: origin) }
}
