import Foundation

@testable import DiffableStore

/// The files of a state directory after a stop or a crash, for restoring them elsewhere. Unlike a copy, the result matches its
/// witness.
struct StateImage {
    let database: Data
    /// SQLite's log; empty if there was none.
    let log: Data
    let record: WitnessRecord

    init(of directory: ScratchDirectory) throws {
        database = try Data(contentsOf: URL(filePath: directory.databasePath))
        log = (try? Data(contentsOf: URL(filePath: directory.databasePath + "-wal"))) ?? Data()
        record = try Witness.read(in: directory.path).get()
    }

    func put(in directory: ScratchDirectory, flipped flip: Flip? = nil) throws {
        try FileManager.default.createDirectory(atPath: directory.path, withIntermediateDirectories: true)
        var database = database
        var log = log
        switch flip?.place {
        case .structure, .key, .elsewhere: flip?.change(&database)
        case .log: flip?.change(&log)
        case .witness, nil: break
        }
        try database.write(to: URL(filePath: directory.databasePath))
        if !log.isEmpty { try log.write(to: URL(filePath: directory.databasePath + "-wal")) }
        try Witness(in: directory.path).write(record)
        guard let flip, flip.place == .witness else { return }
        // The witness is rewritten in the same file, so that it is not detected as a copy.
        let path = Witness.path(in: directory.path)
        var witness = try Data(contentsOf: URL(filePath: path))
        flip.change(&witness)
        guard let file = FileHandle(forWritingAtPath: path) else { throw CocoaError(.fileNoSuchFile) }
        try file.write(contentsOf: witness)
        try file.close()
    }
}

extension Flip {
    fileprivate func change(_ file: inout Data) { file[offset] ^= 1 << bit }
}
