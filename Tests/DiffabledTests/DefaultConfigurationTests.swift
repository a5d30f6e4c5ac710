import DiffableServer
import Foundation
import Testing

@testable import diffabled

/// config/diffabled.yaml is executable documentation: its defaults are the program's.
@Suite struct DefaultConfigurationTests {
    private var path: String {
        URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../../config/diffabled.yaml")
            .standardizedFileURL.path
    }

    /// A commented-out setting has no space after its `#`; prose has one.
    private func uncommented() throws -> String {
        let text = try String(contentsOfFile: path, encoding: .utf8)
        return text.split(separator: "\n").map { line in
            line.hasPrefix("#") && !line.hasPrefix("# ") ? String(line.dropFirst()) : String(line)
        }.joined(separator: "\n")
    }

    @Test func `the file as it is installed changes nothing`() throws {
        let configuration = try ConfigurationSources(file: path).configuration()
        #expect(configuration == Configuration())
    }

    @Test func `the file with every setting un-commented is what root has without it`() throws {
        let file = try ScratchFile(uncommented())
        let places = DefaultPlaces(userID: 0, environment: [:])
        var expected = Configuration()
        expected.socket = try places.socket()
        expected.stateDirectory = try places.stateDirectory()
        expected.clients = places.clients
        let configuration = try ConfigurationSources(file: file.path).configuration()
        #expect(configuration == expected)
    }

    @Test(arguments: Limit.allCases)
    func `the range and the unit of each limit stand above it`(limit: Limit) throws {
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        let index = try #require(lines.firstIndex { $0.hasPrefix("#\(limit): ") })
        let beginning =
            switch limit.row.unit {
            case .bytes: "In bytes, from"
            case .seconds: "In seconds, from"
            case .number: "From"
            }
        let (least, greatest) = (limit.row.range.lowerBound, limit.row.range.upperBound)
        #expect(lines[index - 1] == "# \(beginning) \(grouped(least)) to \(grouped(greatest)).")
    }

    @Test(arguments: Setting.allCases)
    func `each setting stands in the file once`(setting: Setting) throws {
        let lines = try uncommented().split(separator: "\n").filter { $0.hasPrefix(setting.key + ":") }
        #expect(lines.count == 1)
    }
}
