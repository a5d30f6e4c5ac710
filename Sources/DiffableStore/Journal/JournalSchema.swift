import GRDB

/// The database's tables and their version.
///
/// A list consists of a checkpoint, which is the complete list at one revision (`CheckpointParts`), and of the journal
/// rows since then, in the order of revisions (`JournalRows`). Anything too long for one row has several, numbered by
/// `part`. The checkpoint is old enough that the rows after it cover the list's history.
enum JournalSchema {
    /// Incremented when the tables or their contents change incompatibly. Version 0.1.0 has the first one. A database
    /// with another version is refused but not damaged.
    static let version = 1
    /// "diff" in ASCII. Identifies databases of diffabled.
    static let applicationID = 0x6469_6666

    /// Columns of `list`:
    /// - `generation`: the current generation of parts in `checkpoint`.
    /// - `checkpointRevision`: the revision of the checkpoint. At revision 0 there are no parts.
    /// - `checkpointChecksum`: over the checksums of the parts, in order.
    /// - `lastReloadRevision`: the last revision up to the checkpoint at which subscribers got the complete state, or 0.
    /// - `chain`: the value of the journal's chain at the checkpoint.
    /// - `checksum`: over all values of the row.
    /// - `owner`, `ownerGroup`: null if a repair did not find the owner.
    /// - `mode`: null if the configuration determines it.
    /// - `source`: null unless the list is a mirror.
    /// - `sharing`: null unless the list is shared; otherwise the position in the log and the names of owner and group.
    ///
    /// `lease.holder` is null for a lease of a list that is not shared. (SQLite stores the text of all tables with its
    /// comments, see `schemasTable`.)
    static let tables = """
        CREATE TABLE list (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            epoch TEXT NOT NULL,
            generation INTEGER NOT NULL,
            checkpointRevision INTEGER NOT NULL,
            checkpointChecksum INTEGER NOT NULL,
            lastReloadRevision INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            owner INTEGER,
            ownerGroup INTEGER,
            mode INTEGER,
            source TEXT,
            sharing TEXT
        ) STRICT;
        CREATE TABLE journal (
            list INTEGER NOT NULL,
            -- What the first line leads to; each line is one more. A line that is too long goes on in more parts.
            revision INTEGER NOT NULL,
            part INTEGER NOT NULL,
            -- Over the row before and all that is in this one.
            chain INTEGER NOT NULL,
            -- When, by whom: as many lines as in `operations`; none in a part that goes on.
            notes BLOB NOT NULL,
            operations BLOB NOT NULL,
            PRIMARY KEY (list, revision, part)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE checkpoint (
            list INTEGER NOT NULL,
            generation INTEGER NOT NULL,
            part INTEGER NOT NULL,
            checksum INTEGER NOT NULL,
            elements BLOB NOT NULL,
            PRIMARY KEY (list, generation, part)
        ) STRICT, WITHOUT ROWID;
        -- What came of requests with a key, for those that come again.
        CREATE TABLE request (
            list INTEGER NOT NULL,
            -- Counts the list's requests with a key, without gaps.
            number INTEGER NOT NULL,
            key TEXT NOT NULL,
            digest INTEGER NOT NULL,
            revision INTEGER NOT NULL,
            isChanged INTEGER NOT NULL,
            -- Counts with commas between them; of an answer that had a summary.
            summary TEXT,
            -- In milliseconds of running time.
            time INTEGER NOT NULL,
            -- Over all that is in the row.
            checksum INTEGER NOT NULL,
            PRIMARY KEY (list, number)
        ) STRICT, WITHOUT ROWID;
        -- What goes when the daemon starts again, because whose it was has gone.
        CREATE TABLE lease (
            list INTEGER NOT NULL,
            -- 0 for the list, 1 for a section, 2 for an item.
            kind INTEGER NOT NULL,
            id TEXT NOT NULL,
            -- Over all that is in the row.
            checksum INTEGER NOT NULL,
            holder TEXT,
            PRIMARY KEY (list, kind, id)
        ) STRICT, WITHOUT ROWID;
        \(deletedListTable);
        \(schemasTable);
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// The running time when the last daemon stopped (`RunningTime`).
    static let clockTable = """
        CREATE TABLE IF NOT EXISTS clock (
            -- In milliseconds.
            running INTEGER NOT NULL,
            -- Over all that is in the row.
            checksum INTEGER NOT NULL
        ) STRICT
        """

    /// Deleted lists that can be undeleted. Their rows in the other tables are unchanged, so the columns are those of
    /// `list`, but names are not unique.
    private static let deletedListTable = """
        CREATE TABLE deletedList (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL,
            epoch TEXT NOT NULL,
            generation INTEGER NOT NULL,
            checkpointRevision INTEGER NOT NULL,
            checkpointChecksum INTEGER NOT NULL,
            lastReloadRevision INTEGER NOT NULL,
            chain INTEGER NOT NULL,
            -- Over all that is in the row.
            checksum INTEGER NOT NULL,
            owner INTEGER,
            ownerGroup INTEGER,
            mode INTEGER,
            -- When it was deleted: in milliseconds since 1970 began, and of running time.
            time INTEGER NOT NULL,
            runningTime INTEGER NOT NULL,
            -- By whom; null for what is not known.
            isOriginKnown INTEGER NOT NULL,
            process INTEGER,
            user INTEGER,
            client TEXT, source TEXT, sharing TEXT
        ) STRICT
        """

    /// The schemas of lists, and the history of their changes. The last row of a list has the current schemas: `schemas` is JSON
    /// by kind, as in `setSchemas`. In earlier rows, which only record changes, it is null. `revision` is the list's revision at
    /// the change, `kinds` the number of kinds with a schema from then on. The columns from `time` on are those of `deletedList`.
    ///
    /// The text is short because SQLite stores the text of all tables, which has to fit in the database's first page
    /// (for `isDiffabledDatabase`, and for `--repair` of a damaged database).
    private static let schemasTable = """
        CREATE TABLE schemas (list INTEGER NOT NULL, number INTEGER NOT NULL, schemas BLOB, others TEXT, existing TEXT,
        revision INTEGER, kinds INTEGER, time INTEGER, runningTime INTEGER, isOriginKnown INTEGER, process INTEGER,
        user INTEGER, client TEXT, checksum INTEGER, PRIMARY KEY (list, number)) STRICT, WITHOUT ROWID
        """

    /// The first object in the database that diffabled never creates, for a message. A trigger, view or computed column
    /// would run statements of a forger.
    static func unexpectedObject(in database: Database) throws -> String? {
        let tables = "'list', 'journal', 'checkpoint', 'request', 'lease', 'clock', 'deletedList', 'schemas'"
        let row = try Row.fetchOne(
            database,
            sql: """
                SELECT type, name FROM sqlite_master
                WHERE (type <> 'table' OR sql NOT LIKE 'CREATE TABLE %' OR name NOT IN (\(tables)))
                    AND NOT (name LIKE 'sqlite!_%' ESCAPE '!' AND type IN ('table', 'index'))
                UNION ALL
                SELECT 'computed column', x.name FROM sqlite_master m, pragma_table_xinfo(m.name) x
                WHERE m.type = 'table' AND x.hidden <> 0
                LIMIT 1
                """)
        guard let row else { return nil }
        let (type, name) = (try row.decode(String.self, atIndex: 0), try row.decode(String.self, atIndex: 1))
        return "the \(type) \(name.debugDescription)"
    }
}
