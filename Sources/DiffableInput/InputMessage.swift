package enum SettingNames: Equatable, Sendable {
    /// Options of a command: `--id .pid`.
    case options
    /// Keys of a feed: `id: .pid`.
    case keys
}

/// A setting for reading input. The raw value is its key; its option has dashes before that.
package enum InputSetting: String, Sendable {
    case columns, from, id, into, numbers, orphans, parent, rows, section, separator, text, types
}

/// A message in which the settings have the names of the place where the user gave them.
///
///     let message: InputMessage = "no field identifies the rows; name one with \(.id, ".pid")"
///     message.text(.options)  // …; name one with --id .pid
///     message.text(.keys)     // …; name one with id: .pid
package struct InputMessage: Sendable {
    private enum Part {
        case text(String)
        case setting(InputSetting, value: String?)
    }

    private var parts: [Part] = []

    package init(_ text: String) { parts = [.text(text)] }

    package func text(_ names: SettingNames) -> String {
        parts.map { part in
            switch (part, names) {
            case (.text(let text), _): text
            case (.setting(let setting, nil), .options): "--\(setting.rawValue)"
            case (.setting(let setting, let value?), .options): "--\(setting.rawValue) \(value)"
            case (.setting(let setting, nil), .keys): setting.rawValue
            case (.setting(let setting, let value?), .keys): "\(setting.rawValue): \(value)"
            }
        }.joined()
    }

    package static func + (first: InputMessage, second: InputMessage) -> InputMessage {
        var both = first
        both.parts += second.parts
        return both
    }
}

// An interpolated message names the options, so that no code can print the parts.
extension InputMessage: CustomStringConvertible {
    package var description: String { text(.options) }
}

extension InputMessage: Equatable {
    package static func == (first: InputMessage, second: InputMessage) -> Bool {
        first.description == second.description
    }
}

extension InputMessage: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var message = InputMessage("")

        package init(literalCapacity: Int, interpolationCount: Int) {}

        package mutating func appendLiteral(_ text: String) { message.parts.append(.text(text)) }

        package mutating func appendInterpolation(_ setting: InputSetting, _ value: String? = nil) {
            message.parts.append(.setting(setting, value: value))
        }

        package mutating func appendInterpolation(_ message: InputMessage) { self.message.parts += message.parts }

        package mutating func appendInterpolation(_ error: InputError) { message.parts += error.message.parts }

        package mutating func appendInterpolation<Value>(_ value: Value) { message.parts.append(.text("\(value)")) }
    }

    package init(stringLiteral text: String) { self.init(text) }

    package init(stringInterpolation: StringInterpolation) { self = stringInterpolation.message }
}
