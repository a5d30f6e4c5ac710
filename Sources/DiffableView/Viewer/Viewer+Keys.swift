import Diffable

// The keys while they act on the rows. The built-in keys have priority over keys that a list's content defines for its actions,
// so that no content takes a key away.

extension Viewer {
    mutating func handle(_ key: KeyPress) {
        if case .rows = mode, ignoreStrayKey(key) { return }
        ignoredKeysEnd = nil
        if message != nil { setNeedsDrawing() }
        message = nil
        if key == KeyPress(.character("c"), .control) { return append(.quit(picked: nil)) }
        if key == KeyPress(.character("z"), .control) { return append(.suspend) }
        if key == KeyPress(.character("l"), .control) { return append(.redraw) }
        pickingKey = options.pickingKeys.contains(key) ? key : nil
        if pickingKey != nil { return pickFound() }
        if takesRowKeys, let command = options.commands.firstIndex(where: { $0.key == key }) { return run(command) }
        switch mode {
        case .rows, .range: handleRowKey(key)
        case .menu(let menu): handle(key, menu)
        case .question(let question): handle(key, question)
        case .swipe(let swipe): handle(key, swipe)
        case .typing(let prompt): handle(key, prompt)
        case .help(let help): handle(key, help)
        case .notice: enter(.rows)
        case .drag: if key.key == .escape { enter(.rows) }
        }
    }

    private mutating func handleRowKey(_ key: KeyPress) {
        if key.modifiers.contains(.alt) { return handleAlternateKey(key) }
        if key.modifiers.contains(.shift), handleShiftedKey(key) { return }
        switch key.key {
        case .up where key.modifiers.contains(.control): move(.previousSection)
        case .down where key.modifiers.contains(.control): move(.nextSection)
        case .up: move(.up)
        case .down: move(.down)
        case .left: moveAcross(.left)
        case .right: moveAcross(.right)
        case .home: move(.first)
        case .end: move(.last)
        case .pageUp: page(.pageUp)
        case .pageDown: page(.pageDown)
        case .tab: move(.nextSection)
        case .enter: performPrimaryAction()
        case .escape: leaveMode()
        case .delete: openSwipe(.trailing)
        case .character(let character) where key.modifiers.contains(.control): handleControl(character)
        case .character(let character): handle(character)
        case .function(2): beginRenaming()
        case .backspace, .insert, .function: break
        }
    }

    private mutating func handle(_ character: Unicode.Scalar) {
        switch character {
        case "j": move(.down)
        case "k": move(.up)
        case "h": moveAcross(.left)
        case "l": moveAcross(.right)
        case "g": move(.first)
        case "G": move(.last)
        case " ": mark()
        case "v": toggleRange()
        case ".": openMenu()
        case ":": openListMenu()
        case ">": openSwipe(.leading)
        case "<": openSwipe(.trailing)
        case "/": beginTyping(.search(label: options.prompt))
        case "w": beginTyping(.condition)
        case "s": beginTyping(.sort)
        case "S": openColumnMenu()
        case "R": beginRenaming()
        case "n": findNext(.down)
        case "N": findNext(.up)
        case "u": undo()
        case "U": redo()
        case "y": copy()
        case "e": edit()
        case "+": beginAdding()
        case "E": toggleEditing()
        // `SplitViewer` shows the members of the item.
        case "I": break
        case "p": toggleHold()
        case "m": toggleMouse()
        case "?": openHelp()
        case "q": quit()
        case "[": select(pane: (selected + panes.count - 1) % panes.count)
        case "]": select(pane: (selected + 1) % panes.count)
        case "0": openHome()
        case "1"..."9": select(pane: Int(character.value) - 0x31)
        default: performAction(withKey: Character(character))
        }
    }

    /// The keys that `handle(_: Unicode.Scalar)` and `SplitViewer` know: no action gets them.
    static let ownKeys = Set<Character>(" vkjhlgG.:></wsSnNuUyeERI+pm?q[]0123456789")

    /// Whether a command of the user can have the key.
    package static func isFree(_ key: KeyPress) -> Bool {
        switch key.key {
        case .character(let character) where key.modifiers == .control:
            !"abcdefijlmnopuvwxyz".unicodeScalars.contains(character)
        case .character(let character):
            key.modifiers == .alt || key.modifiers.isEmpty && !ownKeys.contains(Character(character))
        case .function(let number): number != 2
        default: false
        }
    }

    private mutating func run(_ command: Int) {
        guard ensureCursorHasNotMoved() else { return }
        guard let item = selectedItem else {
            return showMessage("\(options.commands[command].title) is for an item: select one")
        }
        append(.run(command: command, item))
    }

    private mutating func handleControl(_ character: Unicode.Scalar) {
        switch character {
        case "d": moveHalfScreen(.down)
        case "u": moveHalfScreen(.up)
        case "f": page(.pageDown)
        case "b": page(.pageUp)
        case "n": move(.down)
        case "p": move(.up)
        case "e": scroll(by: 1)
        case "y": scroll(by: -1)
        case "x": cutRows()
        case "v": pasteRows()
        default: break
        }
    }

    private mutating func handleAlternateKey(_ key: KeyPress) {
        switch key.key {
        case .up: reorder(by: -1)
        case .down: reorder(by: 1)
        default: break
        }
    }

    private mutating func handleShiftedKey(_ key: KeyPress) -> Bool {
        switch key.key {
        case .tab: move(.previousSection)
        case .up, .down:
            beginRange()
            if case .range = mode { move(key.key == .up ? .up : .down) }
        case .left: return scrollColumns(-1)
        case .right: return scrollColumns(1)
        default: return false
        }
        return true
    }

    private mutating func leaveMode() {
        if case .range = mode { return endRange(keepingMarks: false) }
        // The marked rows may be the result of the search.
        if !pane.filter.search.isEmpty {
            pane.filter.search = ""
            pane.saveReturnPosition()
            return setNeedsDrawing()
        }
        if !pane.marks.isEmpty {
            pane.marks = []
            return setNeedsDrawing()
        }
        if options.picking != .none { append(.quit(picked: nil)) }
    }

    private mutating func quit() { append(.quit(picked: nil)) }

    private mutating func toggleHold() {
        isHeld.toggle()
        setNeedsDrawing()
    }

    private mutating func toggleEditing() {
        guard ensureActionsAreAllowed() else { return }
        pane.document.isEditing.toggle()
        layOut()
    }

    private mutating func toggleMouse() {
        reportsMouse.toggle()
        append(.reportMouse(reportsMouse))
        showMessage(reportsMouse ? "The mouse selects rows" : "The mouse selects text; m lets it select rows again")
    }

    mutating func enter(_ mode: Mode) {
        self.mode = mode
        layOut()
    }
}

extension Action {
    /// Without a key that the viewer uses itself and that would do something else.
    var withoutTakenKey: Action {
        var action = self
        if let key, Viewer.ownKeys.contains(key) { action.key = nil }
        return action
    }
}
