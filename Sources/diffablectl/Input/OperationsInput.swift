import Diffable
import DiffableInput
import DiffableJSON

/// Reads operations from a file: a JSON array, or one operation on each line. They are decoded only to find errors while the
/// line number is known. The text is sent as it is.
enum OperationsInput {
    static func operations(in input: [UInt8]) throws(InputError) -> OperationsText {
        let text = try checkedText(input)
        if text.first(where: { !isWhiteSpace($0) }) == UInt8(ascii: "[") {
            return try checked(Array(text)) { error in InputError(error, in: text) }
        }
        var array: [UInt8] = [UInt8(ascii: "[")]
        for (line, text) in TextLines(text) {
            // Each is checked as an array with one element, so that a single decoder handles operations.
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
                _ = try [ListOperation](json: bytes, limits: .input)
                return nil
            } catch {
                return error
            }
        }
        if let error { throw explanation(error) }
        return try text(array)
    }

    static func text(_ array: [UInt8]) throws(InputError) -> OperationsText {
        let text: Result<OperationsText, JSONError> = array.withUnsafeBytes { bytes in
            Result { () throws(JSONError) in try OperationsText(json: bytes) }
        }
        do { return try text.get() } catch { throw InputError("\(error)") }
    }
}
