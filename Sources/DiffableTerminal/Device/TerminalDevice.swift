import CTerminalRestore
import Glibc

/// The user's terminal: its modes, size, input and output.
///
/// It opens a descriptor of its own, because non-blocking reads on a shared one would affect the shell. One loop owns it: the
/// loop calls `wait`, handles the events, draws, and waits again. Without a timer and without events it sleeps indefinitely.
///
/// A terminal that accepts no output (^S, a hung connection) blocks nothing: the rest of a frame waits here, and while
/// `isBehind` is true the loop skips frames. So the terminal is at most one frame behind.
///
/// Signals and cleanup at exit belong to the process, so only one device at a time can be entered.
package final class TerminalDevice {
    package let abilities: TerminalAbilities
    package let modes: TerminalModes
    package let waker = TerminalWaker()
    private let path: String
    private let descriptor: Int32
    /// Whether the descriptor blocks, because other processes share the open file.
    private let blocks: Bool
    /// The last reported size of a terminal that sends no signal when its size changes.
    private var watchedSize: TerminalSize?
    private var signals: Int32 = -1
    /// The part of one frame that the terminal has not taken yet.
    private var pending: ArraySlice<UInt8> = []
    private var decoder = KeyDecoder()
    private var decoderDeadline: ContinuousClock.Instant?
    private var isHungUp = false
    private var toldOfHangUp = false
    private var awaitsReplies = false
    private var isEntered = false
    /// Whether the process runs in the background while a shell has the terminal. Reading would then stop the process, and
    /// drawing would spoil the shell's screen. The shell sends SIGCONT when it hands the terminal back.
    private var isInBackground = false
    package private(set) var reportsMouse = false

    /// Opens the user's terminal without changing its modes.
    package convenience init(abilities: TerminalAbilities) throws(TerminalError) {
        let terminal = try UserTerminal(blocks: false)
        self.init(
            descriptor: terminal.descriptor, path: terminal.path, blocks: terminal.isShared, abilities: abilities)
        if !terminal.isControlling { watchedSize = size }
    }

    private init(descriptor: Int32, path: String, blocks: Bool, abilities: TerminalAbilities) {
        self.descriptor = descriptor
        self.path = path
        self.blocks = blocks
        self.abilities = abilities
        modes = TerminalModes(abilities: abilities)
    }

    /// Opens a terminal without changing its modes.
    package convenience init(path: String, abilities: TerminalAbilities) throws(TerminalError) {
        let descriptor = open(path, O_RDWR | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .unavailable(path: path, errno) }
        guard isatty(descriptor) == 1 else {
            close(descriptor)
            throw .unavailable(path: path, ENOTTY)
        }
        self.init(descriptor: descriptor, path: path, blocks: false, abilities: abilities)
    }

    deinit {
        leave()
        close(descriptor)
    }

    /// The size of a frame: the terminal's, or 80 by 24 if the terminal reports none, limited by `abilities.height`.
    package var size: TerminalSize {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return .usual
        }
        let whole = TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
        return abilities.height?.limit(whole) ?? whole
    }

    // MARK: - Modes

    /// Takes the terminal: every key arrives at once, and the screen is for frames. The terminal is restored however the process
    /// ends, unless by SIGKILL.
    package func enter(reportsMouse: Bool = true) throws(TerminalError) {
        let leaving = modes.leavingBytes
        signals = terminal_restore_arm(descriptor, leaving, leaving.count)
        guard signals >= 0 else { throw .unavailable(path: path, errno) }
        self.reportsMouse = reportsMouse
        isEntered = true
        isInBackground = false
        write(modes.enteringBytes(reportsMouse: reportsMouse, size: size))
    }

    /// Restores the state before `enter`. Drops unwritten output and unread input.
    package func leave() {
        prepareLeaving()
        terminal_restore_now()
    }

    /// Leaves the terminal to a child that this process waits for. Unread input is kept for the child.
    package func leaveForChild() {
        prepareLeaving()
        terminal_restore_for_child()
    }

    /// Restores the terminal's settings when the child has ended. ^C is for this process again.
    package func takeBackFromChild() { terminal_restore_from_child() }

    private func prepareLeaving() {
        guard isEntered else { return }
        awaitReplies()
        isEntered = false
        pending = []
        decoder = KeyDecoder()
        decoderDeadline = nil
    }

    /// Leaves, stops the process as ^Z does, and enters again when the process continues. The caller then has to redraw the
    /// screen.
    package func suspend() throws(TerminalError) {
        leave()
        terminal_restore_stop()
        try enter(reportsMouse: reportsMouse)
    }

    package func setMouse(isReported: Bool) {
        guard isReported != reportsMouse else { return }
        reportsMouse = isReported
        write(modes.mouseBytes(isOn: isReported))
    }

    /// Sends the queries of `TerminalModes.queryBytes`. The answers, if any, arrive as events.
    package func sendQueries() {
        let queries = modes.queryBytes
        guard !queries.isEmpty else { return }
        awaitsReplies = true
        write(queries)
    }

    /// Waits for pending replies, because a reply that arrives after the end would be typed into the shell. A terminal that
    /// answers does so within this time.
    private func awaitReplies() {
        let deadline = ContinuousClock.now + .milliseconds(100)
        while awaitsReplies, !isHungUp, !isInBackground, ContinuousClock.now < deadline {
            var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            guard poll(&readable, 1, milliseconds(until: deadline)) > 0 else { break }
            _ = readInput()
        }
        awaitsReplies = false
    }

    // MARK: - Writing

    /// Whether the terminal has not taken everything that was written. A frame drawn now would only wait.
    package var isBehind: Bool { !pending.isEmpty || isInBackground }

    /// Writes as much as the terminal takes, in one call if it takes everything, and keeps the rest.
    package func write(_ bytes: [UInt8]) {
        guard !isHungUp, !isInBackground else { return }
        if pending.isEmpty { pending = bytes[...] } else { pending += bytes }
        writePending()
    }

    private func writePending() {
        while !pending.isEmpty {
            let count = pending.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                pending = pending.dropFirst(count)
            } else if count == 0 || errno == EAGAIN {
                return
            } else if errno != EINTR {
                isHungUp = true
                pending = []
            }
        }
        pending = []
    }

    // MARK: - Waiting

    /// Sleeps until something happens, and returns the events, or none after the timeout. Reads only one key, because the next
    /// ones may be for a program that this key starts.
    package func wait(timeOut: Duration? = nil) -> [TerminalEvent] {
        let deadline = timeOut.map { ContinuousClock.now + $0 }
        let wasBehind = isBehind
        var events: [TerminalEvent] = []
        repeat {
            var descriptors = [
                pollfd(fd: waker.ends[0], events: Int16(POLLIN), revents: 0),
                pollfd(fd: signals, events: Int16(POLLIN), revents: 0),
                pollfd(
                    fd: isHungUp || isInBackground ? -1 : descriptor,
                    events: Int16(isBehind ? POLLIN | POLLOUT : POLLIN), revents: 0),
            ]
            let sizeDeadline = watchedSize == nil ? nil : ContinuousClock.now + Self.sizePause
            let next = [deadline, decoderDeadline, sizeDeadline].compactMap(\.self).min()
            poll(&descriptors, 3, next.map(milliseconds(until:)) ?? -1)

            if descriptors[0].revents != 0, waker.takeCalls() { events.append(.woken) }
            if descriptors[1].revents != 0 { events += takeSignals() }
            if descriptors[2].revents != 0 {
                if isBehind { writePending() }
                events += readInput().map { .input($0) }
            }
            if let limit = decoderDeadline, ContinuousClock.now >= limit {
                decoderDeadline = nil
                events += decoder.timeOutPassed().map { .input($0) }
            }
            if let known = watchedSize, size != known {
                watchedSize = size
                events.append(.resized(size))
            }
            if isHungUp, !toldOfHangUp {
                toldOfHangUp = true
                events.append(.hungUp)
            }
            if wasBehind, !isBehind, !isHungUp { events.append(.caughtUp) }
        } while events.isEmpty && deadline.map { ContinuousClock.now < $0 } ?? true
        return events
    }

    /// The interval for checking the size of a terminal that sends no signal.
    private static let sizePause = Duration.seconds(1)

    /// Whether unread input is available.
    package var hasInput: Bool { !isInBackground && isReadable }

    private var isReadable: Bool {
        var readable = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&readable, 1, 0) > 0
    }

    private func readInput() -> [InputEvent] {
        // The input may be for the shell, typed while this process was stopped.
        guard terminal_restore_is_in_foreground() != 0 else {
            isInBackground = true
            return []
        }
        var events: [InputEvent] = []
        // The limit keeps endless input from starving the loop's other work.
        for _ in 0..<Self.readsMax where events.isEmpty {
            if blocks, !isReadable { break }
            let lengthMax = decoder.isInPaste ? 16 << 10 : 1
            let bytes = [UInt8](unsafeUninitializedCapacity: lengthMax) { buffer, count in
                let result = read(descriptor, buffer.baseAddress, lengthMax)
                if result == 0 || (result < 0 && errno != EAGAIN && errno != EINTR) { isHungUp = true }
                count = max(result, 0)
            }
            if bytes.isEmpty { break }
            events += decoder.decode(bytes)
        }
        decoderDeadline = decoder.timeOut.map { ContinuousClock.now + $0 }
        for case .reply(.attributes) in events { awaitsReplies = false }
        return events
    }

    private static let readsMax = 4096

    private func takeSignals() -> [TerminalEvent] {
        let numbers = [UInt8](unsafeUninitializedCapacity: 64) { buffer, count in
            count = max(read(signals, buffer.baseAddress, buffer.count), 0)
        }
        var events: [TerminalEvent] = []
        // Only the latest of several size changes matters.
        if numbers.contains(UInt8(SIGWINCH)) { events.append(.resized(size)) }
        if numbers.contains(UInt8(SIGCONT)), isEntered {
            // If another process stopped this one, the shell has had the terminal since.
            isInBackground = terminal_restore_raw() == 0
        }
        if numbers.contains(UInt8(SIGCONT)), isEntered, !isInBackground {
            write(modes.enteringBytes(reportsMouse: reportsMouse, size: size))
            events.append(.continued)
        }
        for number in numbers.map({ Int32($0) }) {
            switch number {
            case SIGWINCH, SIGCONT: break
            case SIGTSTP: events.append(.suspensionRequested)
            default: events.append(.terminationRequested(number))
            }
        }
        return events
    }
}

/// Returns the time left for `poll`, rounded up so that it does not wake too early. A time in the past gives 0, because a
/// negative number would wait forever.
private func milliseconds(until deadline: ContinuousClock.Instant) -> Int32 {
    let (seconds, attoseconds) = max(deadline - .now, .zero).components
    return Int32(clamping: min(seconds, 1 << 20) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
}
