import GRDB

/// The database's tables, and which version of them this is.
///
/// A list is its checkpoint, which is everything in the list at one revision (`CheckpointParts`), and its journal rows
/// since, in the order of revisions (`JournalRows`). What does not fit in one row has several, numbered by `part`. The
/// checkpoint is old enough for the rows since to be the list's history.
enum JournalSchema {
    /// Raised when the tables change, or what is in them. Version 0.1.0 has the first one. A database of another version is
    /// refused: it is not damaged.
    static let version = 1
    /// "diff" in ASCII: tells this daemon's databases from others.
    static let applicationID = 0x6469_6666

    /// Of the columns of `list`: `generation` says which parts in `checkpoint` count, and `checkpointRevision` the revision they
    /// make, of which 0 has no parts; `checkpointChecksum` is over the parts' checksums, in their order; `lastReloadRevision` is the
    /// last one up to the checkpoint that subscribers were sent the whole state of, or 0; `chain` is where the journal's chain had
    /// come to at the checkpoint; `checksum` is over all that is in the row. `owner` and `ownerGroup` are null if a repair
    /// did not find the owner, and `mode` is null if the configuration gives it. `source` is null unless the list is a mirror, and
    /// `sharing` unless several hosts share the list; then it has the position in the log and the names of owner and group.
    /// `holder` is null for a lease of this host's list. (SQLite keeps the text of all tables, with its comments: see
    /// `schemasTable`.)
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

    /// Lists that were deleted and can come back. Their rows in the other tables stay as they are, so the columns are those
    /// of `list`; only that several may have had one name.
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

    /// What the contents of a list's items must look like, and when somebody said so. Of the rows of a list, the last one
    /// has what holds: `schemas` by kind, as JSON, with the words of `setSchemas`; they are null in the others, which tell of
    /// changes that are remembered. `revision` is the one that the list had, `kinds` how many had a schema from then on; the
    /// columns from `time` on are those of `deletedList`.
    ///
    /// It is short because SQLite keeps the text of all tables, which must not outgrow the database's first page (`isOurs`,
    /// and what `--repair` makes of a damaged one).
    private static let schemasTable = """
        CREATE TABLE schemas (list INTEGER NOT NULL, number INTEGER NOT NULL, schemas BLOB, others TEXT, existing TEXT,
        revision INTEGER, kinds INTEGER, time INTEGER, runningTime INTEGER, isOriginKnown INTEGER, process INTEGER,
        user INTEGER, client TEXT, checksum INTEGER, PRIMARY KEY (list, number)) STRICT, WITHOUT ROWID
        """

    /// The first thing in the database that no diffabled makes, for a message. A trigger, a view or a computed column would
    /// run the statements of a forger.
    static func stranger(in database: Database) throws -> String? {
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
