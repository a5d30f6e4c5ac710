import Diffable
import DiffableJSON

extension DecodedRequest {
    /// Reads `METHOD [LIST]`, a line that a user has typed. It has neither options nor quoting.
    init(shorthand line: UnsafeRawBufferPointer, limits: DecodingLimits) {
        self.init(id: .null, request: Self.request(shorthand: line, limits: limits))
    }

    private static func request(
        shorthand line: UnsafeRawBufferPointer, limits: DecodingLimits
    ) -> Outcome {
        if JSONScanner.beginsWithByteOrderMark(line) {
            let error = JSONError(offset: 0, reason: .byteOrderMark)
            return .failure(WireError(.parseError, "the line cannot be read: \(error)", offset: 0))
        }
        // The name of a list is checked later. Any other text that is not UTF-8 cannot be a method.
        guard let text = String(validating: line, as: UTF8.self) else {
            let offset = Self.offsetOfInvalidUTF8(in: line)
            let error = JSONError(offset: offset, reason: .invalidUTF8)
            return .failure(WireError(.parseError, "the line cannot be read: \(error)", offset: offset))
        }
        let words = text.utf8.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") || $0 == UInt8(ascii: "\r") }
        guard let word = words.first.map({ String(Substring($0)) }) else {
            return .failure(
                WireError(.invalidRequest, "the line is empty; send a request such as lists (help returns all methods)")
            )
        }
        // By bytes, because a Unicode comparison of long texts with combining marks is slow.
        guard let method = Method.allCases.first(where: { $0.rawValue.utf8.elementsEqual(word.utf8) }) else {
            return .failure(WireError(Method.unknown(word, at: 0), list: nil, invalid: .methodNotFound))
        }
        guard words.count <= 2 else {
            let message = "a line that is not JSON must be METHOD [LIST]; for anything more, send a JSON object"
            return .failure(WireError(.invalidRequest, message))
        }
        let start = words.count > 1 ? text.utf8.distance(from: text.startIndex, to: words[1].startIndex) : 0
        return request(method, list: words.count > 1 ? Array(words[1]) : nil, at: start, limits: limits)
    }

    /// The offset of the first byte that does not belong to a scalar. O(length).
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
            let message =
                "\(method.rawValue) needs \(needed.joined(separator: " and ")): send the request as a JSON object"
            return .failure(WireError(.invalidParams, message))
        }
        guard method.required.isEmpty == (list == nil) else {
            let message = list == nil ? "\(method.rawValue) needs a list" : "\(method.rawValue) takes no list"
            return .failure(WireError(.invalidParams, "\(message); send: \(method.usage)"))
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
    fileprivate var usage: String { required.isEmpty ? rawValue : "\(rawValue) LIST" }
}
