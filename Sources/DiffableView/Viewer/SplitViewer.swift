import Diffable

// The parts of the screen: one viewer, or two side by side, and a text next to them or below them. Each viewer is
// complete: this value only passes events to the viewer that they are for, and puts the drawings together.
//
// The loop knows lists and requests by one number each. The number of a viewer's list is `list * viewers.count + viewer`.

/// One viewer or two side by side, and a text about the selected item.
package struct SplitViewer: Sendable {
    package enum Arrangement: Sendable {
        case single
        case sideBySide
        /// The rows of the first list choose the list of the second viewer.
        case sidebar
    }

    private(set) var viewers: [Viewer]
    /// Nil if there is nothing to show next to the lists.
    private(set) var text: TextPane?
    /// The viewer that gets the keys, unless the text has them.
    private(set) var focused = 0
    private(set) var isTextFocused = false
    let arrangement: Arrangement
    let options: ViewerOptions
    private(set) var columns: Int
    private(set) var rows: Int
    /// What the user has opened next to the lists; nil: the preview, if there is one.
    private var opened: TextSource?
    /// The number of the newest output, and whether its command may still run.
    private var outputNumber = 0
    private var isOutputting = false
    /// The list that the sidebar chose last.
    private var chosenList: ListName?
    /// The viewer in which a button of the mouse is pressed.
    private var pressed: Int?
    private var hasFocus = true
    private var mustDraw = true
    private var effects: [ViewerEffect] = []

    private enum TextSource: Equatable {
        case details
        case command(Int)
        /// The answer of a list's handler.
        case answer
    }

    /// For `sidebar`, `lists` is the sidebar alone. The other viewer begins with the home screen.
    package init(
        lists: [ListName], arrangement: Arrangement = .single, columns: Int, rows: Int, options: ViewerOptions
    ) {
        func viewer(_ lists: [ListName], _ place: ViewerOptions.ScreenPart) -> Viewer {
            var own = options
            own.place = place
            return Viewer(lists: lists, columns: columns, rows: rows, options: own)
        }
        viewers =
            switch arrangement {
            case .single: [viewer(lists, .whole)]
            case .sideBySide: lists.map { viewer([$0], .side) }
            case .sidebar: [viewer(lists, .sidebar), viewer([], .besideSidebar)]
            }
        self.arrangement = arrangement
        self.options = options
        self.columns = columns
        self.rows = rows
        // There is room for it from the first frame on.
        if preview != nil { text = TextPane() }
        arrange(at: .zero)
    }

    private var preview: Int? { options.commands.firstIndex { $0.output == .preview } }

    /// The lists to follow at first, by number; nil for the home screen.
    package var firstLists: [(number: Int, name: ListName?)] {
        viewers.indices.flatMap { viewer in
            viewers[viewer].panes.indices.map { list in
                let pane = viewers[viewer].panes[list]
                return (list * viewers.count + viewer, pane.isHome ? nil : pane.name)
            }
        }
    }

    package var needsDrawing: Bool { mustDraw || viewers.contains(where: \.needsDrawing) }
    package var isLoaded: Bool { viewers.allSatisfy(\.isLoaded) }
    package var deadline: Duration? { viewers.compactMap(\.deadline).min() }
    package var reportsMouse: Bool { viewers[focused].reportsMouse }
    package var picked: [PickedItem] { viewers[focused].picked }
    package var pickingKey: KeyPress? { viewers[focused].pickingKey }
    /// The view with which each list is first followed.
    package var initialView: String { viewers[0].initialView }

    /// The time of the start, in milliseconds since 1970.
    package var startTime: Int {
        get { viewers[0].startTime }
        set { for viewer in viewers.indices { viewers[viewer].startTime = newValue } }
    }

    package mutating func handle(_ event: ViewerEvent, at time: Duration) -> [ViewerEffect] {
        effects = []
        switch event {
        case .key(let key): handle(key, at: time)
        case .mouse(let mouse): handle(mouse, at: time)
        case .keysWait, .paste, .failed, .open: forward(event, to: focused, at: time)
        case .resized(let columns, let rows): (self.columns, self.rows, mustDraw) = (columns, rows, true)
        case .focused(let hasFocus): self.hasFocus = hasFocus
        case .update(let state, let list): forward(.update(state, list: list / viewers.count), list, at: time)
        case .rows(let rows, let list): forward(.rows(rows, list: list / viewers.count), list, at: time)
        case .absent(let absence, let list): forward(.absent(absence, list: list / viewers.count), list, at: time)
        case .edited(let list, let item, let revision):
            forward(.edited(list: list / viewers.count, item, revision: revision), list, at: time)
        case .reply(var reply):
            let number = reply.request
            reply.request /= viewers.count
            forward(.reply(reply), number, at: time)
        case .handled(var request, let revision):
            let number = request.number
            request.number /= viewers.count
            request.list /= viewers.count
            forward(.handled(request, revision: revision), number, at: time)
        case .output(let bytes, let number):
            guard number == outputNumber else { break }
            text?.append(bytes)
            mustDraw = true
        case .outputEnded(let problem, let number):
            guard number == outputNumber else { break }
            text?.endOutput()
            mustDraw = true
            isOutputting = false
            if let problem, opened != nil { forward(.failed(problem), to: focused, at: time) }
        case .connection, .timer: for viewer in viewers.indices { forward(event, to: viewer, at: time) }
        case .drawn:
            mustDraw = false
            for viewer in viewers.indices { forward(event, to: viewer, at: time) }
        }
        chooseFromSidebar(at: time)
        updateText()
        arrange(at: time)
        return effects
    }

    private mutating func chooseFromSidebar(at time: Duration) {
        guard arrangement == .sidebar, focused == 0, let list = viewers[0].selectedList, list != chosenList else {
            return
        }
        chosenList = list
        forward(.open(list), to: 1, at: time)
    }

    /// Gives each viewer its size and the focus.
    private mutating func arrange(at time: Duration) {
        let areas = areas
        for viewer in viewers.indices {
            if let area = areas.lists[viewer] {
                let rows = isComposed ? area.height + 1 : rows
                if (viewers[viewer].columns, viewers[viewer].rows) != (area.width, rows) {
                    forward(.resized(columns: area.width, rows: rows), to: viewer, at: time)
                }
            }
            let hasFocus = hasFocus && viewer == focused && !isTextFocused
            if viewers[viewer].hasFocus != hasFocus { forward(.focused(hasFocus), to: viewer, at: time) }
        }
        if let area = areas.text { text?.resize(columns: area.width, height: area.height) }
    }

    /// Passes an event for the viewer with a list or a request of this number.
    private mutating func forward(_ event: ViewerEvent, _ number: Int, at time: Duration) {
        forward(event, to: number % viewers.count, at: time)
    }

    private mutating func forward(_ event: ViewerEvent, to viewer: Int, at time: Duration) {
        for effect in viewers[viewer].handle(event, at: time) { relay(effect, of: viewer, at: time) }
    }

    private mutating func relay(_ effect: ViewerEffect, of viewer: Int, at time: Duration) {
        func number(_ own: Int) -> Int { own * viewers.count + viewer }
        switch effect {
        case .setView(let list, let json, let queryNumber):
            effects.append(.setView(list: number(list), json: json, queryNumber: queryNumber))
        case .follow(let name, let list): effects.append(.follow(name, list: number(list)))
        case .followLists(let list): effects.append(.followLists(list: number(list)))
        case .request(var request):
            request.number = number(request.number)
            request.list = number(request.list)
            effects.append(.request(request))
        case .edit(let list, let item): effects.append(.edit(list: number(list), item))
        case .reportMouse(let isReported):
            for viewer in viewers.indices { viewers[viewer].reportsMouse = isReported }
            effects.append(effect)
        case .openBeside(let name):
            forward(.open(name), to: 1, at: time)
            focus(1)
        case .run(let command, let item) where options.commands[command].output == .pane: open(command, for: item)
        case .show(let answer, let title):
            close()
            (opened, text) = (.answer, TextPane())
            text?.title = title
            text?.append(Array(answer.utf8))
        case .copy, .suspend, .run, .start, .stop, .redraw, .quit: effects.append(effect)
        }
    }
}

// MARK: - Keys and the mouse

extension SplitViewer {
    private mutating func handle(_ key: KeyPress, at time: Duration) {
        guard viewers[focused].takesRowKeys else { return forward(.key(key), to: focused, at: time) }
        switch key.key {
        case .tab where stops > 1: moveFocus(by: key.modifiers.contains(.shift) ? -1 : 1)
        case .character("I") where key.modifiers.isDisjoint(with: [.control, .alt]): toggleDetails()
        case .escape where isTextFocused, .character("q") where isTextFocused:
            if opened == nil { isTextFocused = false } else { close() }
        case .character(let character) where isTextFocused && key.modifiers.contains(.control):
            if "czl".unicodeScalars.contains(character) { return forward(.key(key), to: focused, at: time) }
            text?.handle(key)
        case _ where isTextFocused: text?.handle(key)
        default: return forward(.key(key), to: focused, at: time)
        }
        mustDraw = true
    }

    private var stops: Int { viewers.count + (text == nil ? 0 : 1) }

    private mutating func moveFocus(by step: Int) {
        let stop = ((isTextFocused ? viewers.count : focused) + step + stops) % stops
        isTextFocused = stop == viewers.count
        if !isTextFocused { focus(stop) }
    }

    private mutating func focus(_ viewer: Int) {
        isTextFocused = false
        mustDraw = true
        guard viewer != focused else { return }
        // Rows that were cut in one list can be put into the other one.
        viewers[viewer].clipboard = viewers[focused].clipboard
        focused = viewer
    }

    private mutating func handle(_ mouse: MouseEvent, at time: Duration) {
        let areas = areas
        let position = Grid.Position(column: mouse.column, row: mouse.row)
        if let area = areas.text, area.contains(position), pressed == nil {
            switch mouse.action {
            case .wheel(.up): text?.scroll(by: -3)
            case .wheel(.down): text?.scroll(by: 3)
            case .press where viewers[focused].takesRowKeys: isTextFocused = true
            default: break
            }
            return mustDraw = true
        }
        let below = areas.lists.firstIndex { $0?.contains(position) ?? false }
        guard let viewer = pressed ?? below, let area = areas.lists[viewer] else { return }
        switch mouse.action {
        case .press:
            guard viewer == focused || viewers[focused].takesRowKeys else { return }
            focus(viewer)
            pressed = viewer
        case .release: pressed = nil
        default: break
        }
        var own = mouse
        own.column -= area.column
        own.row -= area.row
        forward(.mouse(own), to: viewer, at: time)
    }
}

// MARK: - The text

extension SplitViewer {
    private mutating func toggleDetails() {
        let wasOpen = opened == .details
        close()
        if !wasOpen { opened = .details }
    }

    private mutating func close() {
        stopOutput()
        (opened, text, isTextFocused) = (nil, nil, false)
    }

    /// Shows the output of a command for an item. The same key closes it.
    private mutating func open(_ command: Int, for item: PickedItem) {
        if opened == .command(command), let old = text?.item, (old.list, old.item.id) == (item.list, item.item.id) {
            return close()
        }
        opened = .command(command)
        text = TextPane()
        text?.followsEnd = true
        text?.item = item
        text?.title = "\(options.commands[command].title): \(viewers[focused].name(of: item.item.id))"
        start(command, for: item)
    }

    private mutating func start(_ command: Int, for item: PickedItem) {
        outputNumber += 1
        isOutputting = true
        effects.append(.start(command: command, item, number: outputNumber))
    }

    private mutating func stopOutput() {
        outputNumber += 1
        if isOutputting { effects.append(.stop) }
        isOutputting = false
    }

    /// Follows the selected item with its members, or with the preview.
    private mutating func updateText() {
        let preview = preview
        guard opened == .details || opened == nil && preview != nil else { return }
        let item = viewers[focused].selectedItem
        var text = text ?? TextPane()
        guard self.text == nil || !PickedItem.areSame(item, text.item) else { return }
        if let item, opened == .details {
            text.show(TextPane.lines(of: item), of: item)
            text.title = viewers[focused].name(of: item.item.id)
        } else if let item, let preview {
            text.expectOutput(about: item)
            start(preview, for: item)
        } else {
            stopOutput()
            text = TextPane()
        }
        self.text = text
        mustDraw = true
    }
}

extension PickedItem {
    fileprivate static func areSame(_ a: PickedItem?, _ b: PickedItem?) -> Bool {
        guard let a, let b else { return a == nil && b == nil }
        return a.list == b.list && a.item.record.isShared(with: b.item.record)
    }
}
