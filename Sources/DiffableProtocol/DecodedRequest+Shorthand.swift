import Diffable
import DiffableJSON

extension DecodedRequest {
    /// `METHOD [LIST]`: the line of somebody who types. There are no options and no quoting.
    init(shorthand line: UnsafeRawBufferPointer, limits: DecodingLimits) {
        self.init(id: .null, request: Self.request(shorthand: line, limits: limits))
    }

    private static func request(
        shorthand line: UnsafeRawBufferPointer, limits: DecodingLimits
    ) -> Outcome {
        if JSONScanner.beginsWithByteOrderMark(line) {
            return .failure(WireError(.parseError, "\(JSONError(offset: 0, reason: .byteOrderMark))", offset: 0))
        }
        // A list's name is checked when it is made; anything else that is no UTF-8 is no method.
        guard let text = String(validating: line, as: UTF8.self) else {
            let offset = Self.offsetOfInvalidUTF8(in: line)
            let error = JSONError(offset: offset, reason: .invalidUTF8)
            return .failure(WireError(.parseError, "\(error)", offset: offset))
        }
        let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
        guard let word = words.first.map({ String(Substring($0)) }) else {
            return .failure(WireError(.invalidRequest, "the line is empty; help lists the methods"))
        }
        // By scalars: whether texts are the same in the end, whatever marks they have, takes long to find out.
        guard let method = Method.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            return .failure(WireError(Method.unknown(word, at: 0), list: nil, invalid: .methodNotFound))
        }
        guard words.count <= 2 else {
            let message = "a line that is not JSON is METHOD [LIST]; for anything more send a JSON object"
            return .failure(WireError(.invalidRequest, message))
        }
        let start = words.count > 1 ? text.utf8.distance(from: text.startIndex, to: words[1].startIndex) : 0
        return request(method, list: words.count > 1 ? Array(words[1]) : nil, at: start, limits: limits)
    }

    /// Of the first byte that is part of no scalar. O(length).
    private static func offsetOfInvalidUTF8(in line: UnsafeRawBufferPointer) -> Int {
        var decoder = UTF8()
        var bytes = line.makeIterator()
        var offset = 0
        while case .scalarValue(let scalar) = decoder.decode(&bytes) { offset += UTF8.width(scalar) }
        return offset
    }

    private static func request(
        _ method: Method, list: [UInt8]?, at start: Int, limits: DecodingLimits
    ) -> Outcome {
        guard method.required.allSatisfy({ $0 == "list" }), method != .apply else {
            let needed = method == .apply ? ["list", "snapshot"] : method.required
            let message = "\(method.rawValue) needs \(needed.joined(separator: " and ")): send it as a JSON object"
            return .failure(WireError(.invalidParams, message))
        }
        guard method.required.isEmpty == (list == nil) else {
            let message = list == nil ? "\(method.rawValue) needs a list" : "\(method.rawValue) takes no list"
            return .failure(WireError(.invalidParams, "\(message): \(method.usage)"))
        }
        do throws(DecodingError) {
            var parameters = ByteWriter()
            parameters.append("{")
            if let list {
                parameters.appendParameter("list", try name(list, at: start, lengthMax: limits.idLengthMax))
            }
            parameters.append("}")
            return .success(try method.request(parameters.bytes, limits: limits))
        } catch {
            return .failure(WireError(error, list: nil))
        }
    }

    private static func name(
        _ utf8: [UInt8], at start: Int, lengthMax: Int
    ) throws(DecodingError) -> ListName {
        let name = utf8.withUnsafeBytes { utf8 in
            Result { () throws(IdentifierError) in try ListName(validating: utf8, lengthMax: lengthMax) }
        }
        do throws(IdentifierError) { return try name.get() } catch {
            throw .identifier(error, "the list's name", at: start, lengthMax: lengthMax).inside("list")
        }
    }
}

extension Method {
    /// As shorthand.
    fileprivate var usage: String { required.isEmpty ? rawValue : "\(rawValue) LIST" }
}
