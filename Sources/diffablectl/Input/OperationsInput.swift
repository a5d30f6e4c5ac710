import Diffable
import DiffableJSON

/// Operations as a file has them: a JSON array, or one on each line.
///
/// They are read to find what is wrong while the line is still known, and sent as they were written.
enum OperationsInput {
    static func operations(in input: [UInt8]) throws(InputError) -> OperationsText {
        let text = try checkedText(input)
        if text.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "[") {
            return try checked(Array(text)) { error in InputError(error, in: text) }
        }
        var array: [UInt8] = [UInt8(ascii: "[")]
        for (line, text) in TextLines(text) {
            // Each is checked as an array of one, so that one decoder knows operations.
            _ = try checked([UInt8(ascii: "[")] + text + [UInt8(ascii: "]")]) { error in
                InputError(line: line, "\(error)")
            }
            if array.count > 1 { array.append(UInt8(ascii: ",")) }
            array += text
        }
        array.append(UInt8(ascii: "]"))
        return try OperationsInput.text(array)
    }

    private static func checked(
        _ array: [UInt8], _ explanation: (DecodingError) -> InputError
    ) throws(InputError) -> OperationsText {
        let error: DecodingError? = array.withUnsafeBytes { bytes in
            do throws(DecodingError) {
                _ = try [Operation](json: bytes, limits: .input)
                return nil
            } catch {
                return error
            }
        }
        if let error { throw explanation(error) }
        return try text(array)
    }

    /// Of an array that has been checked.
    static func text(_ array: [UInt8]) throws(InputError) -> OperationsText {
        let text: Result<OperationsText, JSONError> = array.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try OperationsText(json: bytes) }
        }
        do { return try text.get() } catch { throw InputError("\(error)") }
    }
}

extension DecodingLimits {
    /// For files: sizes are the daemon's business, a misspelt member is ours.
    static let input = DecodingLimits(
        depthMax: 128, contentLengthMax: .max, levelsMax: .max, operationsMax: .max)
}
