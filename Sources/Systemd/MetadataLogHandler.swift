import Logging

/// The common part of the two log handlers: a level, and metadata of three origins that become one set of fields.
protocol MetadataLogHandler: LogHandler {}

extension MetadataLogHandler {
    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Sorted by name, so that equal messages make equal lines. The metadata closest to the call wins.
    func fields(of event: LogEvent) -> [(name: String, value: String)] {
        var fields = metadata
        if let provided = metadataProvider?.get() { fields.merge(provided) { $1 } }
        if let given = event.metadata { fields.merge(given) { $1 } }
        if let error = event.error { fields["error"] = "\(error)" }
        return fields.map { ($0.key, "\($0.value)") }.sorted { $0.name < $1.name }
    }
}
