import Diffable
import DiffableJSON
import Foundation
import TestSupport
import Testing

extension Integration {
    /// Realistic lists: applied, applied again, changed in every way and applied, while a subscriber follows.
    struct RealInputTests {
        @Test func `countries by continent`() throws {
            let file = "\(Binaries.repository)/config/countries.json"
            var sections = try sections(ofFile: file)
            let trip = try RoundTrip("countries", ["--from", "json"])
            try trip.begin(with: String(contentsOfFile: file, encoding: .utf8), items: 195)

            // Two continents change places, a country moves to another, one is removed, one is added, one gets a new capital.
            sections.swapAt(0, 2)
            let turkey = sections[1].items.firstIndex { $0.id == "tr" }!
            sections[0].items.append(sections[1].items.remove(at: turkey))
            sections[3].items.remove(at: 4)
            sections[5].items.insert(try Item(id: "tk", content: Content(json: #"{"text":"Tokelau"}"#)), at: 3)
            let france = sections[0].items.firstIndex { $0.id == "fr" }!
            sections[0].items[france] = try Item(
                id: "fr", kind: "country", content: Content(json: #"{"text":"France","secondaryText":"Versailles"}"#))
            sections[4].items.reverse()
            try trip.end(with: try Snapshot(sections).json, items: 195)
        }

        @Test(.enabled(if: Binaries.isInstalled("dpkg-query")))
        func `this machine's packages by section`() throws {
            let trip = try RoundTrip(
                "packages", ["--from", "tsv", "--columns", "package,version,section", "--section", ".section"])
            let rows = try trip.lines(
                of: "/usr/bin/dpkg-query", "-W", "-f", #"${binary:Package}\t${Version}\t${Section}\n"#)
            try trip.begin(with: rows.joined(separator: "\n"), items: rows.count)
            let changed = TableShuffle.changed(rows) { row in
                let fields = row.split(separator: "\t", omittingEmptySubsequences: false)
                return "\(fields[0])\t\(fields[1])-next\t\(fields[2])"
            }
            try trip.end(with: changed.joined(separator: "\n"), items: changed.count)
        }

        @Test func `a directory tree as an outline`() throws {
            let root = FileManager.default.fileExists(atPath: "/usr/share/doc/bash") ? "/usr/share/doc" : "/usr/share"
            let trip = try RoundTrip("doc", ["--from", "tree"])
            let paths = try trip.lines(of: "/usr/bin/find", root, "-maxdepth", "4", "-printf", "%P\n")
                .filter { !$0.isEmpty }.prefix(20_000)
            func outline(_ paths: some Sequence<String>) -> String {
                paths.map { path in
                    let names = path.split(separator: "/")
                    return String(repeating: "  ", count: names.count - 1) + names.last!
                }.joined(separator: "\n")
            }
            try trip.begin(with: outline(paths), items: paths.count)

            // The first directory is removed with its contents, another is renamed, a third moves to the end.
            let top = paths.filter { !$0.contains("/") }
            func isWithin(_ path: String, _ directory: String) -> Bool {
                path == directory || path.hasPrefix("\(directory)/")
            }
            let kept = paths.filter { !isWithin($0, top[0]) && !isWithin($0, top[2]) }
                .map { isWithin($0, top[1]) ? "renamed" + $0.dropFirst(top[1].count) : $0 }
            let changed = kept + paths.filter { isWithin($0, top[2]) } + ["new", "new/deeper", "new/deeper/still"]
            try trip.end(with: outline(changed), items: changed.count)
        }

        @Test func `many generated rows`() throws {
            let trip = try RoundTrip("rows", ["--from", "ndjson", "--section", ".group"])
            var generator = SplitMix64(seed: 20_261_121)
            let rows = (0..<Sweep.count(100_000)).map { number in
                let group = generator.next() % 40
                return #"{"id":"row-\#(number)","group":"g\#(group)","value":\#(generator.next() % 1_000_000)}"#
            }
            try trip.begin(with: rows.joined(separator: "\n"), items: rows.count)
            let changed = TableShuffle.changed(rows) {
                $0.replacingOccurrences(of: "\"value\":", with: "\"value\":1")
            }
            try trip.end(with: changed.joined(separator: "\n"), items: changed.count)
        }

        private func sections(ofFile file: String) throws -> [Diffable.Section] {
            try Data(contentsOf: URL(filePath: file)).withUnsafeBytes {
                try WholeList(json: $0, limits: .client).sections
            }
        }
    }
}
