import Testing

/// What the conformance suite plants must never be in a release.
@Suite struct PlantedFaultTests {
    @Test(arguments: SourceFile.all.filter { $0.code.contains { $0.contains("Planted") || $0.contains("PLANTED") } })
    func `a planted fault is there in debug builds only`(file: SourceFile) {
        // Whether each of the conditions around a line lets it into a release.
        var conditions: [Bool] = []
        for (index, line) in file.lines.enumerated() {
            let words = line.split(separator: " ")
            switch words.first {
            case "#if": conditions.append(words.dropFirst() != ["DEBUG"])
            case "#else", "#elseif": conditions[conditions.count - 1] = true
            case "#endif": conditions.removeLast()
            default:
                let isPlanted = line.contains("Planted") || line.contains("PLANTED") || line.contains("planted")
                #expect(
                    !isPlanted || line.drop(while: \.isWhitespace).hasPrefix("//") || conditions.contains(false),
                    "\(file):\(index + 1) stands in no #if DEBUG")
            }
        }
    }

    @Test func `the faults are found`() {
        #expect(SourceFile.all.contains { $0.path == "DiffableStore/PlantedFault.swift" })
    }
}
