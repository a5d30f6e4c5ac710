import Diffable
import Testing

@Suite struct `Identifiers` {
    @Test func `1 to 255 bytes are allowed`() throws {
        #expect(throws: IdentifierError.empty) { try named("") }
        #expect(try named("x").description == "x")
        #expect(try named(String(repeating: "x", count: 255)).description.count == 255)
        #expect(throws: IdentifierError.tooLong(length: 256)) { try named(String(repeating: "x", count: 256)) }
        // The limit is in bytes, not characters.
        #expect(throws: IdentifierError.tooLong(length: 256)) { try named(String(repeating: "é", count: 128)) }
    }

    @Test func `control characters are refused, and their neighbours are not`() throws {
        for scalar in [0x00, 0x1F, 0x7F, 0x80, 0x9F] as [UInt32] {
            #expect(throws: IdentifierError.self) { try named("ab" + String(Unicode.Scalar(scalar)!)) }
        }
        for scalar in [0x20, 0x7E, 0xA0, 0xC0, 0x100, 0x2028, 0x1F600] as [UInt32] {
            #expect(throws: Never.self) { try named("ab" + String(Unicode.Scalar(scalar)!)) }
        }
        #expect(throws: IdentifierError.controlCharacter(offset: 2)) { try named("ab\n") }
    }

    @Test func `they are equal when their bytes are equal`() throws {
        #expect(try named("a") == named("a"))
        #expect(try named("\u{E9}") != named("e\u{301}"))
        let snapshot = try Snapshot([Section(id: "s", items: [Item(id: "\u{E9}"), Item(id: "e\u{301}")])])
        #expect(snapshot.numberOfItems == 2)
    }

    @Test func `they are ordered by bytes`() throws {
        let ids: [ItemID] = ["b", "a", "ab", "A", "é", "z"]
        #expect(ids.sorted().map(\.description) == ["A", "a", "ab", "b", "z", "é"])
    }

    @Test func `what is wrong with an identifier is said with the rule`() {
        #expect(IdentifierError.tooLong(length: 300).description.contains("300 bytes long"))
        #expect(IdentifierError.controlCharacter(offset: 4).description.contains("at byte 4"))
        #expect(IdentifierError.empty.description.contains("1 to 255"))
    }

    /// Calls the throwing initializer, because a literal would use the one for literals.
    private func named(_ name: String) throws(IdentifierError) -> ItemID { try ItemID(name) }
}
