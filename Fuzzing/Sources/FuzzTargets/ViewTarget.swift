import Diffable
import DiffableJSON

func decodeView(_ json: UnsafeRawBufferPointer) { _ = try? View(json: json) }

func checkView(_ json: UnsafeRawBufferPointer) throws {
    guard let view = try? View(json: json) else { return }
    let again = try view.json.withUnsafeBytes { json in
        try succeed("a view that was read can be read: \(text(json))") { () throws(DecodingError) in
            try View(json: json)
        }
    }
    try hold(
        again.json == view.json && again.matchingText == view.matchingText, "a view is another when it was written")
    var whole = view
    whole.window = nil
    let shown = whole.evaluate(Sample.list).snapshot
    try checkInvariants(shown)
    let items = shown.itemIdentifiers
    try hold(items.allSatisfy(Sample.list.contains), "a view shows what is not in the list")
    guard let window = view.window else { return }
    let extract = window.extract(from: shown)
    try checkInvariants(extract.snapshot)
    try hold(extract.extent.total == items.count, "a window counts the rows wrongly")
    try hold((0...items.count).contains(extract.extent.offset), "a window stands outside of the list")
    let rows = items[extract.extent.offset...].prefix(window.limit)
    try hold(
        rows.allSatisfy(extract.snapshot.contains), "a window does not show its rows")
}
