import Diffable
import DiffableJSON

private enum ErrorMember: UInt8, MemberName {
    case code, message, data

    static func named(_ name: JSONString) -> ErrorMember? {
        switch name {
        case "code": .code
        case "message": .message
        case "data": .data
        default: nil
        }
    }
}

private enum ErrorDataMember: UInt8, MemberName {
    case list, operation, section, item, revision, kind, path, keyword, limit, max, offset, action, found, reason

    static func named(_ name: JSONString) -> ErrorDataMember? {
        switch name {
        case "list": .list
        case "operation": .operation
        case "section": .section
        case "item": .item
        case "revision": .revision
        case "kind": .kind
        case "path": .path
        case "keyword": .keyword
        case "limit": .limit
        case "max": .max
        case "offset": .offset
        case "action": .action
        case "found": .found
        case "reason": .reason
        default: nil
        }
    }
}

extension Decoder {
    /// An error with an unknown code is a newer daemon's: its message explains it.
    mutating func wireError() throws(DecodingError) -> WireError {
        _ = scanner.peek()
        let start = scanner.offset
        var error = WireError(.invalidRequest, "")
        var code: Int?
        try object("an error", ErrorMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .code: code = try decoder.code()
            case .message: error.message = try decoder.string("message").text
            case .data: try decoder.readData(into: &error)
            }
        }
        guard let code else { throw .invalid("an error needs the member code, an integer", at: start) }
        if let known = WireError.Code(rawValue: code) {
            error.code = known
        } else {
            error.message = "\(error.message) (error \(code))"
        }
        return error
    }

    private mutating func code() throws(DecodingError) -> Int {
        try scan { scanner throws(JSONError) in try scanner.integer() }
    }

    private mutating func readData(into error: inout WireError) throws(DecodingError) {
        var violation = WireError.SchemaViolation(kind: "", path: "", keyword: "")
        var limit: String?
        var max: Int?
        var result = error
        try object("data", ErrorDataMember.self) { member, decoder throws(DecodingError) in
            switch member {
            case .list: result.list = try decoder.identifier("list")
            case .operation: result.operation = try decoder.wholeNumber("operation")
            case .section: result.section = try decoder.identifier("section")
            case .item: result.item = try decoder.identifier("item")
            case .revision: result.revision = try decoder.wholeNumber("revision")
            case .kind: violation.kind = try decoder.string("kind").text
            case .path: violation.path = try decoder.string("path").text
            case .keyword: violation.keyword = try decoder.string("keyword").text
            case .limit: limit = try decoder.string("limit").text
            case .max: max = try decoder.wholeNumber("max")
            case .offset: result.offset = try decoder.wholeNumber("offset")
            case .action: result.action = try decoder.string("action").text
            case .found: result.found = try decoder.wholeNumber("found")
            case .reason: result.reason = WireError.Reason(rawValue: try decoder.string("reason").text)
            }
        }
        if !violation.keyword.isEmpty { result.violation = violation }
        if let limit, let max { result.limit = WireError.Limit(limit, max: max) }
        error = result
    }
}
