import Glibc

/// The observations of a run, in the format of the checker of `make soak-hosts` (`Hosts/soak/records.py`).
final class Records {
    private var file: UnsafeMutablePointer<FILE>?
    private var isClosed = false
    private var lastNumber = 0
    /// A hash of all records, to compare two runs.
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private(set) var lines = 0

    /// - Parameter path: nil to compute only the digest.
    init(_ path: String?) {
        file = path.flatMap { fopen($0, "w") }
        precondition(path == nil || file != nil, "\(path ?? "") cannot be written: \(String(cString: strerror(errno)))")
    }

    func number() -> Int {
        lastNumber += 1
        return lastNumber
    }

    /// - Parameter members: JSON, without the braces.
    func write(_ type: String, _ members: String) {
        if isClosed { return }
        let line = "{\"type\":\"\(type)\",\(members)}\n"
        for byte in line.utf8 { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        lines += 1
        if let file { fputs(line, file) }
    }

    /// Ends the records; later observations are not part of the run.
    func close() {
        isClosed = true
        if let file { fclose(file) }
        file = nil
    }

    /// Formats a time in seconds.
    static func time(_ microseconds: Int) -> String {
        let rest = String(microseconds % 1_000_000)
        return "\(microseconds / 1_000_000).\(String(repeating: "0", count: 6 - rest.utf8.count))\(rest)"
    }

    static func quoted(_ text: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { quoted.append(UInt8(ascii: "\\")) }
            if byte == UInt8(ascii: "\n") { quoted += Array("\\n".utf8) } else { quoted.append(byte) }
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
