import Diffable

extension Content {
    /// Makes content from JSON text, without insignificant white space. `null` is refused, because `nil` means no content.
    /// O(length).
    ///
    ///     let content = try Content(json: #"{"text":"Buy milk"}"#)
    public init(json: String) throws(JSONError) {
        var json = json
        json.makeContiguousUTF8()
        let content = try Array(json.utf8).withUnsafeBufferPointer { bytes throws(JSONError) in
            try Content(json: UnsafeRawBufferPointer(bytes), depthMax: DecodingLimits.server.depthMax)
        }
        guard let content else { throw JSONError(offset: 0, reason: .noContent) }
        self = content
    }

    /// Nil for `null`.
    package init?(json: UnsafeRawBufferPointer, depthMax: Int) throws(JSONError) {
        var scanner = JSONScanner(json, depthMax: depthMax)
        let value = try scanner.value()
        try scanner.end()
        if value.isNull { return nil }
        self.init(value.withCompactBytes { [UInt8]($0) })
    }
}
