import Logging

/// The common part of both log handlers: merges metadata of three origins into one set of fields.
protocol MetadataLogHandler: LogHandler {}

extension MetadataLogHandler {
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Returns the fields sorted by name, so that equal messages make equal lines. The metadata closest to the call wins.
    func fields(of event: LogEvent) -> [(name: String, value: String)] {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let given = event.metadata { fields.merge(given) { $1 } }
        if let error = event.error { fields["error"] = "\(error)" }
        return fields.map { ($0.key, "\($0.value)") }.sorted { $0.name < $1.name }
    }
}
