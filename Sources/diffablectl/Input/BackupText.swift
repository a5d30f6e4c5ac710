import Diffable
import DiffableInput
import DiffableJSON

/// A backup that was read and checked to be complete.
struct BackupText {
    private let bytes: [UInt8]
    /// The ranges of the requests.
    private var rest: Range<Int>
    /// The names of the lists in it.
    let lists: [String]

    private static let beginning = #"{"diffabledBackup":"#

    /// A backup may have any length. A file of another sort is refused before it is read to its end.
    static func limit(named name: String) -> InputLimit {
        InputLimit { bytes in
            guard bytes[...].withoutByteOrderMark().starts(with: beginning.utf8) else {
                throw InputError("\(name) is no backup of diffabled")
            }
            return nil
        }
    }

    /// - Parameter name: for messages.
    init(_ bytes: [UInt8], named name: String) throws(InputError) {
        let newline = UInt8(ascii: "\n")
        guard let first = bytes.firstIndex(of: newline), let head = JSONView(checking: bytes[..<first]),
            let format = head.number("diffabledBackup")
        else {
            throw InputError("\(name) is no backup of diffabled")
        }
        guard format == BackupFile.format else {
            throw InputError(
                "\(name) has the format \(format), and this diffablectl reads \(BackupFile.format): use a newer one")
        }
        guard bytes.last == newline, let before = bytes.dropLast().lastIndex(of: newline), before >= first,
            let end = JSONView(checking: bytes[(before + 1)..<(bytes.count - 1)]), let told = end.member("crc32")
        else {
            throw InputError("\(name) has no end: it is not all of a backup; nothing was restored")
        }
        var checksum = CRC32()
        checksum.add(bytes[...before])
        guard checksum.description == told.plainText else {
            throw InputError(
                "\(name) is damaged: its checksum is \(checksum.description), not \(told.plainText); nothing was restored"
            )
        }
        self.bytes = bytes
        lists = end.member("lists")?.elements.compactMap { $0.member("list")?.plainText } ?? []
        rest = (first + 1)..<(before + 1)
    }

    /// The next request, without its newline.
    private mutating func nextLine() -> ArraySlice<UInt8>? {
        guard let end = bytes[rest].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { rest = (end + 1)..<rest.upperBound }
        return bytes[rest.lowerBound..<end]
    }

    /// The next request for one of the chosen lists, with the list's new name.
    mutating func nextLine(_ pick: BackupPick) -> ArraySlice<UInt8>? {
        while let line = nextLine() {
            if pick.isAll { return line }
            let part = BackupPart(line)
            guard pick.lists.contains(part.list) else { continue }
            return pick.newName.map { part.renamed($0)[...] } ?? line
        }
        return nil
    }
}

extension JSONView {
    /// Nil if it is not JSON.
    fileprivate init?(checking bytes: ArraySlice<UInt8>) {
        let content: Result<Content?, JSONError> = bytes.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try Content(json: bytes, depthMax: JSONView.depthMax) }
        }
        guard case .success(let content?) = content else { return nil }
        self.init(content)
    }
}
