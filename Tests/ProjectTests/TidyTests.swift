import Testing

/// Style rules that a machine can check, each with its reason.
@Suite struct TidyTests {
    @Test func `the sources are found`() {
        #expect(SourceFile.all.count > 50)
    }

    /// Only executables print; a library's stray print would land in a stream of JSON lines.
    @Test(arguments: SourceFile.all.filter { !["diffabled", "diffablectl"].contains($0.module) })
    func `a library prints nothing`(file: SourceFile) {
        for line in file.code where ["print(", "debugPrint(", "dump("].contains(where: line.contains) {
            #expect(line.firstMatch(of: #/(^|[^.\w])(print|debugPrint|dump)\(/#) == nil)
        }
    }

    /// Only one file writes to standard output: it reports failed writes (status 74), and escapes control sequences. Other
    /// writes would do neither.
    @Test(
        arguments: SourceFile.all.filter {
            // A relay passes its input to a program unchanged.
            let name = $0.path.split(separator: "/").last
            return $0.module == "diffablectl" && !["StandardOutput.swift", "Relay.swift"].contains(name)
        })
    func `diffablectl writes in one place`(file: SourceFile) {
        for line in file.code {
            for mark in [
                "print(", "fputs(", "fwrite(", "FileHandle", "to: STDOUT_FILENO", "write(STDOUT_FILENO", "write(1,",
            ] {
                #expect(!line.contains(mark), "\(mark) in \(file)")
            }
        }
    }

    /// Names without a definite meaning, or a second word for an idea that has one.
    @Test(arguments: SourceFile.all)
    func `no type is called by a word that says nothing`(file: SourceFile) {
        let words: Set = ["Data", "Info", "Manager", "Helper", "Util", "Utils", "Entry", "Delta", "Changeset"]
        let reasons = ["ErrorDataMember": "JSON-RPC calls the member of an error so"]
        // Only the tree under a snapshot has nodes.
        let isTree = file.path.hasPrefix("Diffable/Tree/")
        for name in file.code.compactMap(declaredType) where reasons[String(name)] == nil {
            for word in camelCaseWords(of: name) {
                #expect(!words.contains(word) && (word != "Node" || isTree), "\(name) in \(file)")
            }
        }
    }

    /// Each of these stops the daemon without a reason, or puts off work.
    @Test(arguments: SourceFile.all)
    func `no file has what we never write`(file: SourceFile) {
        for mark in ["try!", "as!", "fatalError(", "TODO", "FIXME"] {
            #expect(!file.lines.contains { $0.contains(mark) }, "\(file) has \(mark)")
        }
    }

    /// Code that turns off a compiler check explains nearby why it is safe.
    @Test(arguments: SourceFile.all)
    func `a check is turned off with a reason`(file: SourceFile) {
        for (index, line) in file.lines.enumerated()
        where line.contains("@unchecked Sendable") || line.contains("nonisolated(unsafe)") {
            let around = file.lines[max(0, index - 3)...min(index + 3, file.lines.count - 1)]
            #expect(around.contains { $0.contains("// ") && $0.contains("ecause") }, "\(file):\(index + 1)")
        }
    }

    private func declaredType(in line: Substring) -> Substring? {
        let words = line.split(whereSeparator: \.isWhitespace)
        let keywords: Set<Substring> = ["struct", "class", "enum", "actor", "protocol", "typealias"]
        guard let keyword = words.firstIndex(where: keywords.contains), keyword + 1 < words.count else { return nil }
        return words[keyword + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    /// Splits `XMLHTTPEntry` into `X M L H T T P Entry`, which is good enough to find whole words.
    private func camelCaseWords(of name: Substring) -> [String] {
        name.reduce(into: []) { words, character in
            if character.isUppercase || words.isEmpty {
                words.append(String(character))
            } else {
                words[words.count - 1].append(character)
            }
        }
    }
}
