// A list has content of its own, like a section. It is the record of the list's handle (`Forest.list`), so it is shared
// between states and counted like any other record. It has no id.

extension Snapshot {
    /// The list's own content. Nil for none. O(length).
    public var content: Content? { listRecord?.content }

    package var listRecord: Record? { forest.slots.record(Forest.list) }

    /// Keeps the existing record if it has the same content.
    mutating func setListRecord(_ record: Record?) {
        let known = listRecord
        if let record, let known, record.hasSameContent(as: known) { return }
        // Writing would only copy a page.
        if record == nil, known == nil { return }
        forest.setListRecord(record)
    }

    mutating func setContent(_ content: Content?) { setListRecord(content.map(Record.makeOfList)) }

    /// The operation that gives the list the content it has here. Nil if it is unchanged.
    func contentChange(from old: Snapshot) -> ListOperation? {
        switch (old.listRecord, listRecord) {
        case (nil, nil): nil
        case (let old?, let new?) where new.hasSameContent(as: old): nil
        case (_, let new): .reconfigureList(new?.content)
        }
    }
}

extension Record {
    fileprivate static func makeOfList(_ content: Content) -> Record {
        let none = UnsafeRawBufferPointer(start: nil, count: 0)
        return content.bytes.withUnsafeBytes { make(id: none, kind: none, content: $0) }
    }
}
