import Diffable
import DiffableJSON

extension ItemPatch {
    /// A JSON merge patch (RFC 7396): its members replace the content's, `null` removes them, objects merge.
    ///
    ///     let patch = try ItemPatch(id: "milk", mergePatch: #"{"done":true}"#)
    ///
    /// Throws if the text is no JSON or has a member twice. O(length).
    public init(id: ItemID, mergePatch: String) throws(JSONError) {
        self = try Array(mergePatch.utf8).withUnsafeBufferPointer { text throws(JSONError) in
            try MergePatch(json: UnsafeRawBufferPointer(text)).itemPatch(of: id)
        }
    }
}

extension ListPatch {
    /// A JSON merge patch (RFC 7396) of the list's own content.
    ///
    ///     let patch = try ListPatch(mergePatch: #"{"title":"Today"}"#)
    ///
    /// Throws if the text is no JSON or has a member twice. O(length).
    public init(mergePatch: String) throws(JSONError) {
        self = try Array(mergePatch.utf8).withUnsafeBufferPointer { text throws(JSONError) in
            try MergePatch(json: UnsafeRawBufferPointer(text)).listPatch
        }
    }
}
