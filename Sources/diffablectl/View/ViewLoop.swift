import CResidentMemory
import Diffable
import DiffableClient
import DiffableInput
import DiffableTerminal
import DiffableView
import Dispatch
import Glibc
import ProcessArguments
import Synchronization

/// Passes events to the viewer, and the viewer's output to the terminal and the daemon. The loop has a thread of its own, which
/// sleeps in `poll` until a key is pressed, a list changes or the viewer's next deadline is reached. It waits for nothing else:
/// requests are tasks whose replies are events.
struct ViewLoop: Sendable {
    enum Ending: Sendable {
        /// Nil if nothing was picked. The key is nil for Enter.
        case quit(picked: [PickedItem]?, key: KeyPress?)
        case signal(Int32)
    }

    /// Empty for the home screen; the sidebar alone for `.sidebar`.
    let lists: [ListName]
    let arrangement: SplitViewer.Arrangement
    let options: ViewerOptions
    let abilities: TerminalAbilities
    /// The commands of `ViewerOptions.commands`, in the same order.
    let commands: [RowCommand]
    /// Nil if the rows come from standard input.
    let daemon: (client: Client, socket: SocketPath)?

    func ending() async throws -> Ending {
        try await withCheckedThrowingContinuation { continuation in
            DispatchQueue(label: "view").async {
                continuation.resume(
                    with: Result {
                        var screen = try ViewScreen(self)
                        return try screen.run()
                    })
            }
        }
    }
}

private struct ViewScreen {
    private let loop: ViewLoop
    private let device: TerminalDevice
    private let inbox: ViewInbox
    /// The names of the viewer's lists, by their number. The home screen has a number too, and the placeholder `lists`
    /// as its name.
    private var lists: [Int: ListName] = [:]
    private var following: [Int: FollowedList] = [:]
    private var tasks: [Task<Void, Never>] = []
    private var viewer: SplitViewer
    private var writer: ScreenWriter
    private var grid: Grid
    private var size: TerminalSize
    private var lastFrame = ContinuousClock.now
    /// Whether the next frame may be drawn at once, because the last one was not the one that the user waits for.
    private var mayFollowAtOnce = false
    private var showsKey = false
    private var mustDraw = true
    private var ending: ViewLoop.Ending?
    /// The command whose output is shown, and a semaphore for its end.
    private var output: (task: Task<Void, Never>, end: DispatchSemaphore)?
    private let begin = ContinuousClock.now
    /// The time of the last question if the daemon is alive, and the deadline for its reply.
    private var lastQuestion = ContinuousClock.now
    private var answerDeadline: ContinuousClock.Instant?
    /// The time at which memory that only startup needed is released: most of the resident memory is then the program's file.
    private var releaseTime: ContinuousClock.Instant? = .now + .seconds(1)

    private static let frameDuration = Duration.milliseconds(16)

    init(_ loop: ViewLoop) throws {
        self.loop = loop
        do { device = try TerminalDevice(abilities: loop.abilities) } catch TerminalError.unavailable(_, let error) {
            let reason = String(cString: strerror(error))
            throw CommandError(
                .unusable,
                "there is no terminal: /dev/tty cannot be opened (\(reason)), and standard input, output and error are "
                    + "not terminals; "
                    + (loop.options.picking == .none ? "use --plain to print lines" : "run it in a terminal"))
        }
        inbox = ViewInbox(waking: device.waker)
        size = device.size
        viewer = SplitViewer(
            lists: loop.lists, arrangement: loop.arrangement, columns: size.columns, rows: size.rows,
            options: loop.options)
        viewer.startTime = wallTime()
        writer = ScreenWriter(abilities: loop.abilities)
        grid = Grid(columns: size.columns, rows: size.rows)
    }

    mutating func run() throws -> ViewLoop.Ending {
        // The daemon prepares its reply while the terminal is set up.
        try follow()
        defer { for task in tasks { task.cancel() } }
        defer { endOutput() }
        try enter()
        defer { device.leave() }
        try draw()
        device.sendQueries()
        // A resize before the signal handler was installed is not reported again.
        let size = device.size
        if (size.columns, size.rows) != (self.size.columns, self.size.rows) { try handle(.resized(size)) }
        while ending == nil {
            let events = device.wait(timeOut: timeOut)
            noteWallTime()
            for event in events { try handle(event) }
            for event in try inbox.take() { try perform(viewer.handle(event, at: now)) }
            watchDaemon()
            if let time = releaseTime, time <= .now {
                releaseTime = nil
                resident_memory_release()
            }
            if viewer.deadline.map({ $0 <= now }) ?? false { try perform(viewer.handle(.timer, at: now)) }
            if isDue, frameWait <= .zero { try draw() }
        }
        return ending!
    }

    private var now: Duration { ContinuousClock.now - begin }

    /// Follows the system's clock after it was set.
    private mutating func noteWallTime() {
        let start = wallTime() - Int(now / .milliseconds(1))
        if abs(start - viewer.startTime) > 500 { viewer.startTime = start }
    }

    private func enter() throws {
        do { try device.enter(reportsMouse: viewer.reportsMouse) } catch {
            let remedy = loop.options.picking == .none ? "use --plain to print lines" : "use another terminal"
            throw CommandError(.unusable, "the terminal cannot be set up: \(error); \(remedy)")
        }
    }

    // MARK: - Time

    private var isDue: Bool { (viewer.needsDrawing || mustDraw) && !device.isBehind }

    private var frameWait: Duration { mayFollowAtOnce ? .zero : lastFrame + Self.frameDuration - .now }

    private var timeOut: Duration? {
        var times: [Duration] = []
        if let deadline = viewer.deadline { times.append(deadline - now) }
        times += [answerDeadline, releaseTime].compactMap { $0.map { $0 - .now } }
        if isDue { times.append(frameWait) }
        return times.min().map { max($0, .zero) }
    }

    // MARK: - Drawing

    private mutating func draw() throws {
        var next = Grid(columns: size.columns, rows: size.rows, after: grid)
        viewer.draw(into: &next)
        let bytes = writer.bytes(showing: next)
        if !bytes.isEmpty { device.write(bytes) }
        grid = next
        mustDraw = false
        lastFrame = .now
        // The last frame had no rows, or the rows that a key asked for arrive a moment later. Two frames in quick succession
        // are enough, however fast keys arrive.
        mayFollowAtOnce = !viewer.isLoaded || showsKey && !mayFollowAtOnce
        showsKey = false
        try perform(viewer.handle(.drawn, at: now))
    }

    private mutating func redraw() {
        writer.invalidate()
        mustDraw = true
    }

    // MARK: - Events

    private mutating func handle(_ event: TerminalEvent) throws {
        switch event {
        case .input(let input): try handle(input)
        case .resized(let size):
            self.size = size
            writer.resize(to: size)
            try perform(viewer.handle(.resized(columns: size.columns, rows: size.rows), at: now))
        case .continued: redraw()
        case .suspensionRequested: try suspend()
        case .terminationRequested(let number): ending = .signal(number)
        case .hungUp: ending = .signal(SIGHUP)
        case .caughtUp, .woken: break
        }
    }

    private mutating func handle(_ input: InputEvent) throws {
        askDaemon()
        switch input {
        case .key(let key):
            // A key that acts on a row acts on a row that was visible.
            if isDue { try draw() }
            if device.hasInput { try perform(viewer.handle(.keysWait, at: now)) }
            try perform(viewer.handle(.key(key), at: now))
            showsKey = true
        case .mouse(let mouse):
            if isDue { try draw() }
            try perform(viewer.handle(.mouse(mouse), at: now))
        case .paste(let text): try perform(viewer.handle(.paste(text), at: now))
        case .focusGained: try perform(viewer.handle(.focused(true), at: now))
        case .focusLost: try perform(viewer.handle(.focused(false), at: now))
        case .reply(.background(let colour)):
            writer.palette = Palette(
                depth: loop.abilities.colours, background: colour, attributes: loop.abilities.attributes)
            mustDraw = true
        case .reply(.mode(2026, let setting)): writer.synchronizesOutput = setting.isKnown
        case .reply: break
        }
    }

    // MARK: - Effects

    private mutating func perform(_ effects: [ViewerEffect]) throws {
        for effect in effects {
            switch effect {
            case .setView(let list, let json, _): following[list]?.setView(try ListView(json: json))
            case .follow(let name, let list):
                lists[list] = name
                try follow(name, list, mayBeAbsent: true)
            case .followLists(let list):
                lists[list] = "lists"
                followLists(list)
            case .request(let request): send(request)
            case .copy(let text): device.write(Clipboard.bytes(copying: text))
            case .edit(let list, let item): try edit(item, list: list)
            case .reportMouse(let isReported): device.setMouse(isReported: isReported)
            case .suspend: try suspend()
            case .run(let command, let item): try run(loop.commands[command], item)
            case .start(let command, let item, let number): start(loop.commands[command], item, number)
            case .stop: output?.task.cancel()
            // The whole screen's viewer does these itself.
            case .openBeside, .show: break
            case .redraw: redraw()
            case .quit(let picked):
                ending = .quit(picked: picked.map { _ in viewer.picked }, key: viewer.pickingKey)
            }
        }
    }

    /// Runs a command without a terminal. Its errors are part of its output.
    private mutating func start(_ command: RowCommand, _ item: PickedItem, _ number: Int) {
        output?.task.cancel()
        let (inbox, environment) = (inbox, command.environment(for: item, environment))
        let left = Mutex(command.shown.output == .preview ? Self.previewLengthMax : .max)
        var options = CommandRun.Options()
        (options.joinsErrors, options.leftovers) = (true, .killed)
        options.receive = { bytes in
            inbox.put(output: bytes, number: number)
            return left.withLock { left in
                left -= bytes.count
                return left > 0
            }
        }
        let end = DispatchSemaphore(value: 0)
        let task = Task { [options] in
            var problem: String?
            do {
                let result = try await CommandRun(command.words(for: item).get(), environment: environment, options)
                    .result(ofInput: [])
                problem = result.isTooLong ? nil : result.ending.problem(of: command.shown.title)
            } catch {
                inbox.put(output: Array("\(error)".utf8), number: number)
            }
            inbox.put(.outputEnded(problem: problem, number: number))
            end.signal()
        }
        output = (task, end)
    }

    /// Does not leave the command behind, unless it takes its time.
    private func endOutput() {
        output?.task.cancel()
        _ = output?.end.wait(timeout: .now() + 1)
    }

    /// Bytes of a preview.
    private static let previewLengthMax = 1 << 18

    /// A diffablectl in a command uses the same daemon.
    private var environment: [String] {
        loop.daemon.map { CommandEnvironment.base(socket: $0.socket) }
            ?? ProcessEnvironment.given().map { "\($0.key)=\($0.value)" }
    }

    private func send(_ request: ViewerRequest) {
        guard let client = loop.daemon?.client, let list = lists[request.list] else { return }
        let inbox = inbox
        Task {
            let (result, revision) = await client.result(of: request.kind, list)
            // Another task follows the list, and may be late.
            if let revision { await inbox.awaitState(of: request.list, revision: revision) }
            inbox.put(.reply(ViewerReply(request: request.number, result)))
            guard let revision, let made = await client.handlersRevision(for: request, list, revision) else { return }
            inbox.put(.handled(request, revision: made))
        }
    }

    private mutating func suspend() throws {
        do { try device.suspend() } catch {
            throw CommandError(.unusable, "the terminal cannot be set up again: \(error); start the view again")
        }
        try resume()
    }

    private mutating func resume() throws {
        size = device.size
        redraw()
        try perform(viewer.handle(.resized(columns: size.columns, rows: size.rows), at: now))
    }

    /// Runs `diffablectl edit`, which handles concurrent changes.
    private mutating func edit(_ item: ItemID, list: Int) throws {
        guard let socket = loop.daemon?.socket, let name = lists[list] else { return }
        let words = [
            "/proc/self/exe", "edit", "--socket", "\(socket)", "--", name.description, item.description,
        ]
        let editor = try lendTerminal(to: words)
        if editor?.ending == .status(0), let editor { noteEdit(item, list: list, by: editor.processID) }
    }

    private mutating func run(_ command: RowCommand, _ item: PickedItem) throws {
        var problem: String?
        switch command.words(for: item) {
        case .failure(let error): problem = "\(error)"
        case .success(let words):
            let program = try lendTerminal(to: words, command.environment(for: item, environment))
            problem = program?.ending.problem(of: command.shown.title)
        }
        if let problem { try perform(viewer.handle(.failed(problem), at: now)) }
    }

    /// Hands the terminal to a program until it ends. After a failure, the user reads the messages before the screen covers them.
    /// Returns nil if it could not be started.
    private mutating func lendTerminal(
        to words: [String], _ environment: [String]? = nil
    ) throws -> (processID: pid_t, ending: ChildProcess.Ending)? {
        device.leaveForChild()
        var program: (processID: pid_t, ending: ChildProcess.Ending)?
        do {
            let terminal = try UserTerminal(blocks: true).descriptor
            defer { close(terminal) }
            let child = try ChildProcess(
                words, input: .descriptor(terminal), output: terminal, errors: terminal, environment: environment)
            program = (child.processID, child.wait())
        } catch { printMessage("\(error)") }
        device.takeBackFromChild()
        switch program?.ending {
        // ^C was for the program, and its user has seen enough.
        case .status(0), .status(128 + SIGINT), .signal(SIGINT): break
        default: waitForKey()
        }
        try enter()
        try resume()
        return program
    }

    /// The edit counts as this viewer's own change, which can be undone in it.
    private func noteEdit(_ item: ItemID, list: Int, by processID: pid_t) {
        guard let client = loop.daemon?.client else { return }
        guard let name = lists[list] else { return }
        let inbox = inbox
        Task {
            guard let revision = await client.newestRevision(of: name, madeBy: processID) else { return }
            await inbox.awaitState(of: list, revision: revision)
            inbox.put(.edited(list: list, item, revision: revision))
        }
    }

    /// Lets the user read an error before the screen covers it.
    private func waitForKey() {
        writeToStandardError("Enter goes back to the list. ")
        guard let terminal = try? UserTerminal(blocks: true).descriptor else { return }
        defer { close(terminal) }
        var byte: UInt8 = 0
        while read(terminal, &byte, 1) == 1, byte != UInt8(ascii: "\n") {}
    }

    // MARK: - A daemon that hangs

    /// Asks whether the daemon is alive. This runs only when the user does something, so an unattended viewer sends nothing.
    private mutating func askDaemon() {
        guard let client = loop.daemon?.client, answerDeadline == nil, lastQuestion + Self.questionPause < .now else {
            return
        }
        lastQuestion = .now
        answerDeadline = .now + Connection.replyTimeoutUsual
        let inbox = inbox
        Task {
            await client.checkConnection()
            inbox.putAnswer()
        }
    }

    private mutating func watchDaemon() {
        if inbox.takeAnswer() { answerDeadline = nil }
        guard let answerDeadline, answerDeadline <= .now else { return }
        self.answerDeadline = nil
        loop.daemon?.client.giveUpConnection()
    }

    private static let questionPause = Duration.seconds(15)

    // MARK: - Following

    private mutating func follow() throws {
        guard let client = loop.daemon?.client else { return }
        for list in viewer.firstLists {
            lists[list.number] = list.name ?? "lists"
            if let name = list.name {
                try follow(name, list.number, mayBeAbsent: false)
            } else {
                followLists(list.number)
            }
        }
        tasks.append(
            Task { [inbox] in
                for await state in client.connectionStates {
                    switch state {
                    case .connected: inbox.put(.connection(isUp: true))
                    case .disconnected(nil): break
                    case .disconnected: inbox.put(.connection(isUp: false))
                    }
                }
            })
    }

    private mutating func follow(_ name: ListName, _ list: Int, mayBeAbsent: Bool) throws {
        guard let client = loop.daemon?.client else { return }
        let view = try ListView(json: viewer.initialView)
        let updates = FollowedList(name, view, of: client, mayBeAbsent: mayBeAbsent)
        following[list] = updates
        tasks.append(
            Task { [inbox] in
                do {
                    try await updates.follow(
                        onUpdate: { inbox.put($0, list: list) }, onAbsence: { inbox.put($0, list: list) })
                } catch { inbox.fail(error) }
            })
    }

    /// Follows the set of lists until this program ends, over each connection.
    private mutating func followLists(_ list: Int) {
        guard let client = loop.daemon?.client else { return }
        tasks.append(
            Task { [inbox] in
                while !Task.isCancelled {
                    do {
                        try await client.withConnection(patience: .seconds(3_600)) { connection in
                            let lists = try await connection.followLists(includingContent: true, minInterval: 500)
                            for try await update in lists {
                                inbox.put(.rows(try HomeRows.snapshot(of: update.lists.values), list: list))
                            }
                        }
                    } catch ClientError.connectionLost, ClientError.noReply {
                        continue
                    } catch { return inbox.fail(error) }
                }
            })
    }
}
