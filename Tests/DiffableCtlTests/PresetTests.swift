import Diffable
import DiffableJSON
import DiffableView
import Foundation
import Testing

@testable import DiffableInput
@testable import diffablectl

struct PresetTests {
    @Test(arguments: Preset.allCases) func `a preset has only members that viewers know`(preset: Preset) throws {
        let content = try #require(preset.list.content ?? nil)
        #expect(LookCheck.complaints(of: content) == [])
        for section in preset.list.sections { #expect(section.content != nil && section.items.isEmpty) }
    }

    @Test(arguments: Preset.allCases) func `the page on appearance shows each preset`(preset: Preset) throws {
        let page = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/appearance.md")
        let text = try String(contentsOf: page.standardizedFileURL, encoding: .utf8)
        #expect(text.contains("```json\n\(preset.json)\n```"))
    }
}
