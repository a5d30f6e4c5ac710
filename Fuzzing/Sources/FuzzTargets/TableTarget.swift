@testable import DiffableInput

private func read(
    _ bytes: UnsafeRawBufferPointer, _ dialect: DelimitedText.Dialect
) throws -> [DelimitedText.Record] {
    var text = DelimitedText([UInt8](bytes)[...], dialect: dialect)
    var records: [DelimitedText.Record] = []
    while let record = try text.next() { records.append(record) }
    return records
}

func decodeTable(_ bytes: UnsafeRawBufferPointer) { _ = try? read(bytes, .csv) }

func checkTable(_ bytes: UnsafeRawBufferPointer) throws {
    guard let first = bytes.first else { return }
    let dialect: DelimitedText.Dialect = first % 2 == 0 ? .csv : .tsv
    let table = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    guard let records = try? read(table, dialect), let columns = records.first?.fields.count else { return }
    try hold(records.allSatisfy { $0.fields.count == columns }, "a record has more fields than another")
    guard dialect == .csv else { return }
    // Everything in quotation marks, as in RFC 4180.
    let written = records.map { record in
        record.fields.map { "\"".utf8 + $0.flatMap { $0 == UInt8(ascii: "\"") ? [$0, $0] : [$0] } + "\"".utf8 }
            .joined(separator: ",".utf8)
    }.joined(separator: "\n".utf8)
    let again = try Array(written).withUnsafeBytes { try read($0, .csv) }
    try hold(again.map(\.fields) == records.map(\.fields), "a table is another when it was written")
}
