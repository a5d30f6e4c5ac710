import GRDB

/// The database's tables, and which version of them this is.
///
/// A list's state is its checkpoint, which is all that was in it at one revision (`CheckpointParts`), followed by its
/// journal rows in order of revision (`JournalRows`). What is larger than one row stands in several, numbered by `part`.
/// The checkpoint is of a state that is old enough for the rows since to be the list's history.
enum JournalSchema {
    /// Raised when the tables change; a database of another version is refused.
    static let version = 5
    /// "diff" in ASCII: tells this daemon's databases from others.
    static let applicationID = 0x6469_6666

    static let tables = """
        CREATE TABLE list (
            number INTEGER PRIMARY KEY,
            name TEXT NOT NULL UNIQUE,
            epoch TEXT NOT NULL,
            -- Which parts in `checkpoint` count, and the revision they make; revision 0 has no parts.
            generation INTEGER NOT NULL,
            checkpointRevision INTEGER NOT NULL,
            -- Over the parts' checksums, in their order.
            checkpointChecksum INTEGER NOT NULL,
            -- The last revision up to the checkpoint that subscribers were sent the whole state of, or 0.
            lastReloadRevision INTEGER NOT NULL,
            -- Where the journal's chain had come to at the checkpoint.
            chain INTEGER NOT NULL,
            -- Over all that is in the row.
            checksum INTEGER NOT NULL,
            -- Whom the list belongs to; null for a list that is older than owners.
            owner INTEGER,
            ownerGroup INTEGER,
            -- Who may what; null for what the configuration says.
            mode INTEGER
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
            -- In milliseconds since 1970 began.
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
            PRIMARY KEY (list, kind, id)
        ) STRICT, WITHOUT ROWID;
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    /// Before owners.
    static let versionWithoutAccess = 4

    /// Makes the tables of that version those of this one. What is null in a row is not in its checksum.
    static let additionOfAccess = """
        ALTER TABLE list ADD COLUMN owner INTEGER;
        ALTER TABLE list ADD COLUMN ownerGroup INTEGER;
        ALTER TABLE list ADD COLUMN mode INTEGER;
        PRAGMA user_version = \(version);
        """
}
