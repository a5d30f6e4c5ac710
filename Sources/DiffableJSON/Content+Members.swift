import Diffable

extension Content {
    /// The same content without members that a later one with the same name replaces, for readers that would take any but the
    /// last. O(length).
    package var withoutReplacedMembers: Content {
        let hasReplaced = bytes.withUnsafeBytes { bytes in
            // The depth was checked when the text was read.
            var scanner = JSONScanner(bytes, depthMax: .max)
            return scanner.skipValueSeekingDuplicates()
        }
        return hasReplaced ? Content(Array(ContentValue(self).json.utf8)) : self
    }
}

extension JSONScanner {
    /// Skips the next value, which was already checked. Returns whether an object in it has a duplicate member.
    fileprivate mutating func skipValueSeekingDuplicates() -> Bool {
        var hasDuplicate = false
        switch peek() {
        case UInt8(ascii: "{"):
            var names: [MemberText] = []
            var object = checked(&self) { scanner throws(JSONError) in try scanner.beginObject() }
            while let name = checked(&self, { scanner throws(JSONError) in try scanner.nextMember(of: &object) }) {
                names.append(MemberText(string: name))
                if skipValueSeekingDuplicates() { hasDuplicate = true }
            }
            return hasDuplicate || NameIndex(of: names).twice != nil
        case UInt8(ascii: "["):
            var array = checked(&self) { scanner throws(JSONError) in try scanner.beginArray() }
            while checked(&self, { scanner throws(JSONError) in try scanner.nextElement(of: &array) }) {
                if skipValueSeekingDuplicates() { hasDuplicate = true }
            }
        default: checked(&self) { scanner throws(JSONError) in try scanner.skipValue() }
        }
        return hasDuplicate
    }
}
