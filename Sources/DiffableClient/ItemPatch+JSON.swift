import Diffable
import DiffableJSON

extension ItemPatch {
    /// A JSON merge patch (RFC 7396): its members replace the content's, `null` removes them, objects merge.
    ///
    ///     let patch = try ItemPatch(id: "milk", mergePatch: #"{"done":true}"#)
    ///
    /// Throws if the text is not JSON or has a duplicate member. O(length).
    public init(id: ItemID, mergePatch: String) throws(JSONError) {
        self = try Array(mergePatch.utf8).withUnsafeBufferPointer { text throws(JSONError) in
            try MergePatch(json: UnsafeRawBufferPointer(text)).itemPatch(of: id)
        }
    }

    /// A merge patch with the members of a value of the program's own type. A member that is nil is not encoded, and stays
    /// unchanged.
    ///
    ///     struct Change: Encodable { var done: Bool }
    ///     try ItemPatch(id: "milk", encoding: Change(done: true))
    ///
    /// Throws the encoder's errors. O(length).
    public init(id: ItemID, encoding members: some Encodable) throws {
        self = try ItemPatch(id: id, mergePatch: Content(encoding: members).description)
    }
}

extension ListPatch {
    /// A JSON merge patch (RFC 7396) of the list's own content.
    ///
    ///     let patch = try ListPatch(mergePatch: #"{"title":"Today"}"#)
    ///
    /// Throws if the text is not JSON or has a duplicate member. O(length).
    public init(mergePatch: String) throws(JSONError) {
        self = try Array(mergePatch.utf8).withUnsafeBufferPointer { text throws(JSONError) in
            try MergePatch(json: UnsafeRawBufferPointer(text)).listPatch
        }
    }

    /// A merge patch with the members of a value of the program's own type. A member that is nil is not encoded, and stays
    /// unchanged.
    ///
    ///     try ListPatch(encoding: Heading(title: "Today"))
    ///
    /// Throws the encoder's errors. O(length).
    public init(encoding members: some Encodable) throws {
        self = try ListPatch(mergePatch: Content(encoding: members).description)
    }
}
