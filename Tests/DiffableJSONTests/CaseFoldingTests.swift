import Foundation
import Testing

@testable import DiffableJSON

@Suite struct `Case folding` {
    /// Prints each scalar that case folding changes. Python has the table of the Unicode standard (CaseFolding.txt).
    private static let program = """
        import unicodedata as u
        def base(text): return "".join(c for c in u.normalize("NFD", text) if u.category(c) != "Mn")
        print(u.unidata_version)
        for number in range(0x110000):
            if 0xD800 <= number < 0xE000: continue
            plain = base(chr(number))
            folded = base(plain.casefold())
            if folded != plain: print(number, *map(ord, folded))
        """

    @Test func `is that of the Unicode standard, for all scalars`() throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.program]
        let pipe = Pipe()
        process.standardOutput = pipe
        try process.run()
        let output = String(decoding: try pipe.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        var lines = output.split(separator: "\n")
        try #require(process.terminationStatus == 0 && !lines.isEmpty, "python3 does not tell its table")
        let version = lines.removeFirst().split(separator: ".").compactMap { Int($0) }
        var table: [UInt32: String] = [:]
        for line in lines {
            let scalars = line.split(separator: " ").compactMap { UInt32($0).flatMap(Unicode.Scalar.init) }
            table[scalars[0].value] = String(String.UnicodeScalarView(scalars.dropFirst()))
        }
        #expect(table.count > 1_300)
        for number in 0..<UInt32(0x110000) {
            guard let scalar = Unicode.Scalar(number), let age = scalar.properties.age else { continue }
            let isKnown = table[number] != nil
            guard isKnown || scalar.properties.isCased || scalar.properties.changesWhenCaseFolded else { continue }
            // Python and Swift may support different versions of the standard.
            if !isKnown, (age.major, age.minor) > (version[0], version[1]) { continue }
            let folded = SearchText.folded(String(scalar))
            // Folding is idempotent, and does not change scalars outside of the table.
            let right =
                table[number].map { Array($0.utf8) } ?? SearchText.folded(String(decoding: folded, as: UTF8.self))
            #expect(folded == right, "U+\(String(number, radix: 16)) \(scalar)")
            if !isKnown { #expect(folded == Self.base(scalar), "U+\(String(number, radix: 16)) \(scalar)") }
        }
    }

    private static func base(_ scalar: Unicode.Scalar) -> [UInt8] {
        let decomposed = String(scalar).decomposedStringWithCanonicalMapping.unicodeScalars
        return Array(
            String(String.UnicodeScalarView(decomposed.filter { $0.properties.generalCategory != .nonspacingMark }))
                .utf8)
    }
}
