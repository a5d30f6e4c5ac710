import Diffable
import DiffableJSON
import DiffableProtocol

func decodeRequest(_ line: String, limits: DecodingLimits = .server) -> DecodedRequest {
    Array(line.utf8).withUnsafeBytes { DecodedRequest(line: $0, limits: limits) }
}

func decodeMessage(_ line: String) throws -> Message {
    try Array(line.utf8).withUnsafeBytes { try Message(line: $0) }
}

func text(_ write: (inout ByteWriter) -> Void) -> String {
    var writer = ByteWriter()
    write(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

func operations(_ json: String) throws -> [ListOperation] {
    try Array(json.utf8).withUnsafeBytes { try [ListOperation](json: $0, limits: .server) }
}

func sections(_ json: String) throws -> [Section] {
    try Array(json.utf8).withUnsafeBytes { try WholeList(json: $0, limits: .server).sections }
}
