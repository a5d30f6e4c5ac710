// An outline on the whole terminal: `outline LIST`. ↑ ↓ go, Space checks off, Alt-↑ Alt-↓ take the row along, q ends.
import DiffableClient
import Foundation

struct Todo: Decodable, Sendable {
    var text: String
    var checked: Bool?
}

/// Rows, and the one that is selected. The selection is an item and no place, so it goes with its row whatever others do.
@MainActor final class Outline {
    let client = Client(name: "outline")
    let list: ListName
    private var rows: [VisibleRow] = []
    private var shown: ListSnapshot<Todo>?
    private var selected: ItemID?

    init(list: ListName) { self.list = list }

    private var place: Int? { rows.firstIndex { $0.id == selected } }

    /// Until the list is deleted. A daemon that is killed and started again is no end.
    func follow() async throws {
        for try await update in client.list(list, as: Todo.self) {
            let before = place
            shown = update.snapshot
            for change in update.rowChanges { rows.carryOut(change) }
            // The selected row is gone: what is there now is selected instead.
            if place == nil, !rows.isEmpty { selected = rows[min(before ?? 0, rows.count - 1)].id }
            draw()
        }
    }

    /// Writes over what is there, all at once, so nothing blinks.
    private func draw() {
        var frame = "\u{1B}[H\u{1B}[K\r\n"
        for row in rows {
            let todo = shown?[row.id]?.content
            let mark = row.hasChildren ? row.isExpanded ? "▾" : "▸" : " "
            let box = todo?.checked == true ? "☑" : "☐"
            let line = " \(String(repeating: "  ", count: row.level))\(mark) \(box) \(todo?.text ?? "") "
            frame += row.id == selected ? "\u{1B}[7m\(line)\u{1B}[m" : line
            frame += "\u{1B}[K\r\n"
        }
        // The cursor is on the selected row.
        frame += "\u{1B}[J\u{1B}[\((place ?? 0) + 2);1H"
        FileHandle.standardOutput.write(Data(frame.utf8))
    }

    func press(_ key: String) async throws {
        guard let place, let selected else { return }
        switch key {
        case "\u{1B}[A", "k": self.selected = rows[max(place - 1, 0)].id
        case "\u{1B}[B", "j": self.selected = rows[min(place + 1, rows.count - 1)].id
        case " ":
            // Drawn when the list has it: here as everywhere.
            let isChecked = shown?[selected]?.content.checked == true
            let patch = try ItemPatch(id: selected, mergePatch: #"{"checked":\#(!isChecked)}"#)
            try await client.transact(list, [.patchItems([patch])])
        case "\u{1B}[1;3A": try await move(to: rows[..<place].last(where: isSibling).map { .before($0.id) })
        case "\u{1B}[1;3B": try await move(to: rows[(place + 1)...].first(where: isSibling).map { .after($0.id) })
        default: break
        }
        draw()
    }

    private func isSibling(_ row: VisibleRow) -> Bool {
        let list = shown?.untyped
        return selected.map { list?.parent(of: $0) == list?.parent(of: row.id) } ?? false
    }

    /// A handler of the list may say no; then the row has not moved anywhere.
    private func move(to position: ItemPosition?) async throws {
        guard let position, let selected else { return }
        try await client.propose(list, [.moveItem(selected, to: position)])
    }
}

/// Keys one by one, and nothing else on the screen; `end` gives it back.
@MainActor final class Screen {
    private var usual = termios()
    private var keys: (any DispatchSourceRead)?

    init(_ press: @escaping @MainActor (String) -> Void) {
        tcgetattr(0, &usual)
        var raw = usual
        cfmakeraw(&raw)
        tcsetattr(0, TCSANOW, &raw)
        FileHandle.standardOutput.write(Data("\u{1B}[?1049h\u{1B}[?25l".utf8))
        let keys = DispatchSource.makeReadSource(fileDescriptor: 0, queue: .main)
        keys.setEventHandler {
            // Several may have come; nothing comes when the terminal is gone.
            let typed = String(decoding: FileHandle.standardInput.availableData, as: UTF8.self)
            let keys = typed.isEmpty ? [""] : typed.matches(of: #/\x1B\[[0-9;]*[A-Z]|./#).map { String($0.output) }
            MainActor.assumeIsolated { for key in keys { press(key) } }
        }
        keys.resume()
        self.keys = keys
    }

    func end(_ error: (any Error)? = nil) -> Never {
        FileHandle.standardOutput.write(Data("\u{1B}[?25h\u{1B}[?1049l".utf8))
        tcsetattr(0, TCSANOW, &usual)
        if let error { FileHandle.standardError.write(Data("outline: \(error)\r\n".utf8)) }
        exit(error == nil ? 0 : 1)
    }
}

guard CommandLine.arguments.count == 2 else {
    FileHandle.standardError.write(Data("usage: outline LIST\n".utf8))
    exit(64)
}
let outline = Outline(list: try ListName(CommandLine.arguments[1]))
var screen: Screen?
screen = Screen { key in
    if ["q", "\u{3}", ""].contains(key) { screen?.end() }
    // What is refused changes nothing, and nothing is drawn.
    Task { try? await outline.press(key) }
}
do {
    try await outline.follow()
    screen?.end()
} catch { screen?.end(error) }
