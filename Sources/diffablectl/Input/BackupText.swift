import Diffable
import DiffableInput
import DiffableJSON
import DiffableProtocol

struct BackupText {
    private let bytes: [UInt8]
    private var rest: Range<Int>
    let lists: [String]

    private static let beginning = #"{"diffabledBackup":"#

    /// A backup may have any length. Any other file is refused before it is read to its end.
    static func limit(named name: String) -> InputLimit {
        InputLimit { bytes in
            guard bytes[...].withoutByteOrderMark().starts(with: beginning.utf8) else {
                throw InputError("\(name) is not a backup of diffabled; nothing was restored")
            }
            return nil
        }
    }

    init(_ bytes: [UInt8], named name: String) throws(InputError) {
        let newline = UInt8(ascii: "\n")
        guard let first = bytes.firstIndex(of: newline), let head = JSONReader(checking: bytes[..<first]),
            let format = head.number("diffabledBackup")
        else {
            throw InputError("\(name) is not a backup of diffabled; nothing was restored")
        }
        guard format == BackupFile.format else {
            throw InputError(
                "\(name) has the backup format \(format), and this diffablectl reads format \(BackupFile.format); nothing was "
                    + "restored. Use a newer diffablectl")
        }
        guard bytes.last == newline, let before = bytes.dropLast().lastIndex(of: newline), before >= first,
            let end = JSONReader(checking: bytes[(before + 1)..<(bytes.count - 1)]), let told = end.member("crc32")
        else {
            throw InputError(
                "\(name) is incomplete: the end of the backup is missing; nothing was restored. Use another backup")
        }
        var checksum = CRC32()
        checksum.add(bytes[...before])
        guard checksum.description == told.plainText else {
            throw InputError(
                "\(name) is damaged: its checksum is \(checksum.description), not \(told.plainText); nothing was restored. Use "
                    + "another backup"
            )
        }
        self.bytes = bytes
        lists = end.member("lists")?.elements.compactMap { $0.member("list")?.plainText } ?? []
        rest = (first + 1)..<(before + 1)
        try checkRequests(named: name)
    }

    /// Refuses any request except a part of a list, because the daemon carries out every request of root.
    private func checkRequests(named name: String) throws(InputError) {
        var copy = self
        var number = 1
        while let line = copy.nextLine() {
            number += 1
            let decoded = line.withUnsafeBytes { DecodedRequest(line: $0, limits: .journal) }
            guard case .success(.restore(.part)) = decoded.request, decoded.id == .absent else {
                throw InputError(
                    "\(name) is damaged: line \(number) is not a part of a list; nothing was restored. Use another backup"
                )
            }
        }
    }

    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard let end = bytes[rest].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = (end + 1)..<rest.upperBound }
        return bytes[rest.lowerBound..<end]
    }

    mutating func nextLine(_ pick: BackupSelection) -> ArraySlice<UInt8>? {
        while let line = nextLine() {
            if pick.isAll { return line }
            let part = BackupPart(line)
            guard pick.lists.contains(part.list) else { continue }
            return pick.newName.map { part.renamed($0)[...] } ?? line
        }
        return nil
    }
}

extension JSONReader {
    fileprivate init?(checking bytes: ArraySlice<UInt8>) {
        let content: Result<Content?, JSONError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONReader.depthMax) }
        }
        guard case .success(let content?) = content else { return nil }
        self.init(content)
    }
}
