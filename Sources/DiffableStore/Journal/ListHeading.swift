import Diffable
import GRDB

/// A row of the table `list`: what a list is called, and where its checkpoint stands.
struct ListHeading {
    let number: Int
    let name: String
    var epoch: String
    let generation: Int
    let checkpointRevision: Int
    let checkpointChecksum: Int64
    let lastReloadRevision: Int
    let chain: Chain
    var access: AccessRecord

    static let checksumOfNoParts = Checksum(3)

    /// Of a list whose checkpoint has so many parts' checksums in `checksum` and is of the state at this end of a row.
    init(_ end: JournalledList.RowEnd, generation: Int, checkpointChecksum: Checksum, access: AccessRecord) {
        number = end.state.number
        name = end.state.name.description
        epoch = end.state.epoch
        self.generation = generation
        checkpointRevision = end.state.revision
        self.checkpointChecksum = checkpointChecksum.signed
        lastReloadRevision = end.state.lastReloadRevision
        chain = end.chain
        self.access = access
    }

    /// Of a list that was just made.
    init(begin state: ListState, access: AccessRecord) {
        self.init(
            JournalledList.RowEnd(state: state, chain: Chain(begin: state)), generation: 0,
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
        return sum.signed
    }
}

extension AccessRecord {
    /// Adds what was said; nothing, if nothing was.
    func add(to sum: inout Checksum) {
        if isEmpty { return }
        sum.add(owner.map { Int($0) } ?? -1)
        sum.add(group.map { Int($0) } ?? -1)
        sum.add(mode.map { Int($0.bits) } ?? -1)
    }
}

// MARK: - In the database

extension ListHeading {
    static func all(in database: Database) throws -> [(heading: ListHeading, checksum: Int64)] {
        try Row.fetchAll(database, sql: "SELECT \(columns) FROM list ORDER BY number").map {
            (try ListHeading($0), try $0.decode(Int64.self, atIndex: 8))
        }
    }

    /// The one that a list has.
    static func of(_ number: Int, in database: Database) throws -> ListHeading? {
        try Row.fetchOne(database, sql: "SELECT \(columns) FROM list WHERE number = ?", arguments: [number])
            .map(ListHeading.init)
    }

    private static let columns = """
        number, name, epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision, chain, checksum,
        owner, ownerGroup, mode
        """

    private init(_ row: Row) throws {
        number = try row.decode(Int.self, atIndex: 0)
        name = try row.decode(String.self, atIndex: 1)
        epoch = try row.decode(String.self, atIndex: 2)
        generation = try row.decode(Int.self, atIndex: 3)
        checkpointRevision = try row.decode(Int.self, atIndex: 4)
        checkpointChecksum = try row.decode(Int64.self, atIndex: 5)
        lastReloadRevision = try row.decode(Int.self, atIndex: 6)
        chain = Chain(value: try row.decode(Int64.self, atIndex: 7))
        // What cannot be such a number is not what the checksum was made of.
        access = AccessRecord(
            owner: try row.decode(Int?.self, atIndex: 9).flatMap(UInt32.init(exactly:)),
            group: try row.decode(Int?.self, atIndex: 10).flatMap(UInt32.init(exactly:)),
            mode: try row.decode(Int?.self, atIndex: 11).flatMap(AccessMode.init(bits:)))
    }

    func insert(into database: Database) throws {
        try database.cachedStatement(sql: "INSERT INTO list VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
            .execute(arguments: [
                number, name, epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision,
                chain.value, checksum, access.owner, access.group, access.mode?.bits,
            ])
    }

    /// Writes it over the one that the list has.
    func update(in database: Database) throws {
        let sql = """
            UPDATE list SET epoch = ?, generation = ?, checkpointRevision = ?, checkpointChecksum = ?,
                lastReloadRevision = ?, chain = ?, checksum = ?, owner = ?, ownerGroup = ?, mode = ?
            WHERE number = ?
            """
        try database.cachedStatement(sql: sql)
            .execute(arguments: [
                epoch, generation, checkpointRevision, checkpointChecksum, lastReloadRevision, chain.value, checksum,
                access.owner, access.group, access.mode?.bits, number,
            ])
    }

    /// What the list is of all lists, as its tables end.
    func share(in database: Database) throws -> ListsDigest.Share {
        ListsDigest.Share(
            number: number, epoch: epoch, chain: try chainAtEnd(in: database),
            lastResult: try RequestRow.lastNumber(of: number, in: database), access: access)
    }

    /// Where the chain has come to with the last row of the list's journal.
    private func chainAtEnd(in database: Database) throws -> Chain {
        let sql = """
            SELECT chain FROM journal WHERE list = ? AND revision > ? ORDER BY revision DESC, part DESC LIMIT 1
            """
        let value = try Int64.fetchOne(database, sql: sql, arguments: [number, checkpointRevision])
        return value.map(Chain.init) ?? chain
    }
}
