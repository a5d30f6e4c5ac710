import DiffableJSON
import Files
import Yams

/// The configuration file: a YAML mapping from settings to single values. An unknown key is an error, because a mistyped limit
/// would have no effect. Values are texts here; `Configuration` converts them.
struct ConfigurationFile {
    let values: [Setting: String]
    /// Counted from 1.
    let lines: [Setting: Int]

    /// Reads pipes and devices as well, so that `--config /dev/null` means "no file".
    init(path: String) throws(ConfigurationError) {
        let bytes: [UInt8]
        do throws(UntrustedPath) { bytes = try TrustedPath.contents(ofFile: path) } catch {
            throw .unreadableFile(path: path, reason: error.reason(for: path))
        }
        do {
            (values, lines) = try settings(in: String(decoding: bytes.withoutByteOrderMark(), as: UTF8.self))
        } catch {
            throw .unreadableFile(path: path, reason: "\(error)")
        }
    }
}

/// Throws for everything that is not a known setting with one value.
private func settings(in text: String) throws -> (values: [Setting: String], lines: [Setting: Int]) {
    guard let root = try Yams.compose(yaml: text) else { return ([:], [:]) }
    // A file of nothing but `---` is one empty scalar.
    if case .scalar(let scalar) = root, scalar.string.isEmpty { return ([:], [:]) }
    guard case .mapping(let mapping) = root else { throw NoMapping() }
    var values: [Setting: String] = [:]
    var lines: [Setting: Int] = [:]
    for (key, value) in mapping {
        let line = key.mark?.line
        guard let setting = Setting(key: key.string ?? "") else {
            throw ConfigurationError.unknownKey(key.string ?? "?", line: line)
        }
        if setting == .access, value.null == nil {
            // `AccessSetting` parses it again, as it does for every source.
            values[setting] = try Yams.serialize(node: value)
            lines[setting] = line
            continue
        }
        guard case .scalar(let scalar) = value, value.null == nil, !scalar.string.isEmpty else {
            throw ConfigurationError.noSingleValue(setting, line: line)
        }
        values[setting] = scalar.string
        lines[setting] = line
    }
    return (values, lines)
}

private struct NoMapping: Error, CustomStringConvertible {
    var description: String { "the file must consist of lines such as \"logLevel: info\"" }
}
