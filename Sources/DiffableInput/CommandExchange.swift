import Dispatch
import Glibc

/// The pipes of a command that runs, and a loop that waits for any of them, without a moment of blocking in one.
struct CommandExchange {
    /// What wakes the loop beside the pipes of the command.
    enum Event: UInt8 {
        case isCancelled = 1
        case hasEnded = 2

        func write(to descriptor: Int32) {
            var byte = rawValue
            _ = Glibc.write(descriptor, &byte, 1)
        }
    }

    private let program: String
    private let child: ChildProcess
    private let terms: CommandRun.Terms
    private let wake: Int32
    /// Each is nil when it is closed.
    private var input: Int32?
    private var output: Int32?
    private var errors: Int32?
    private var unsent: ArraySlice<UInt8>
    private var complaints = LastLine()
    private var result = CommandRun.Result(ending: .status(0), output: [])
    private var hasEnded = false
    /// When it has run for as long as it may; nil if there is no end to that, and when it was told to end.
    private var timeout: ContinuousClock.Instant?
    /// When the group is killed; nil as long as it may run.
    private var deadline: ContinuousClock.Instant?
    private var isKilled = false

    /// - Parameter wake: where events come, written by others.
    init(
        _ words: [String], _ environment: [String], _ bytes: [UInt8], _ terms: CommandRun.Terms, wakenBy wake: Int32
    ) throws(InputError) {
        program = words[0]
        self.terms = terms
        self.wake = wake
        unsent = bytes[...]
        var pipes: [(reading: Int32, writing: Int32)] = []
        do throws(InputError) {
            for _ in 0..<3 { pipes.append(try ChildProcess.pipe()) }
            child = try ChildProcess(
                words, input: .descriptor(pipes[0].reading), output: pipes[1].writing, errors: pipes[2].writing,
                environment: environment, group: .own)
        } catch {
            for pipe in pipes {
                close(pipe.reading)
                close(pipe.writing)
            }
            throw error
        }
        for end in [pipes[0].reading, pipes[1].writing, pipes[2].writing] { close(end) }
        timeout = terms.timeout.map { .now + $0 }
        (input, output, errors) = (pipes[0].writing, pipes[1].reading, pipes[2].reading)
        for end in [pipes[0].writing, pipes[1].reading, pipes[2].reading] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// Blocks until the command has ended.
    ///
    /// - Parameter waking: the other end of `wake`.
    mutating func run(endedOver waking: Int32) -> CommandRun.Result {
        let child = child
        let waiter = DispatchSemaphore(value: 0)
        DispatchQueue(label: "end of a command").async {
            child.waitWithoutReaping()
            Event.hasEnded.write(to: waking)
            waiter.signal()
        }
        while !isOver { step() }
        // What it has written before its end is in the pipes.
        receive()
        for descriptor in [input, output, errors].compactMap(\.self) { close(descriptor) }
        // As long as the process is not waited for, its number is nobody else's.
        if deadline != nil || terms.leftovers == .killed { kill(-child.processID, SIGKILL) }
        waiter.wait()
        result.ending = child.wait()
        result.lastComplaint = complaints.text
        return result
    }

    /// One that is to end has ended when nobody of the group writes any more.
    private var isOver: Bool {
        guard hasEnded, let deadline else { return hasEnded }
        return (output == nil && errors == nil) || deadline <= .now
    }

    private mutating func step() {
        // A descriptor below zero is passed over.
        var polled = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input ?? -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), patienceMilliseconds)
        if let deadline, deadline <= .now { endAtOnce() }
        if let timeout, timeout <= .now {
            result.isOverdue = true
            end()
        }
        guard count > 0 else { return }
        if polled[0].revents != 0 { hear() }
        if polled[1].revents != 0 { send() }
        if polled[2].revents != 0 || polled[3].revents != 0 { receive() }
    }

    /// For poll(2). After the deadline the kernel ends the command, and says so.
    private var patienceMilliseconds: Int32 {
        guard let next = deadline ?? timeout else { return -1 }
        let (seconds, attoseconds) = (next - .now).components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        return milliseconds < 0 ? 1_000 : Int32(clamping: milliseconds + 1)
    }

    private mutating func hear() {
        var byte: UInt8 = 0
        guard read(wake, &byte, 1) == 1 else { return }
        switch Event(rawValue: byte) {
        case .isCancelled?:
            terms.say("nobody waits for \(program) (process \(child.processID)) any more, so it is ended")
            end()
        case .hasEnded?: hasEnded = true
        case nil: break
        }
    }

    private mutating func end() {
        guard deadline == nil else { return }
        deadline = .now + CommandRun.mercy
        timeout = nil
        kill(-child.processID, SIGTERM)
        // One that was stopped would not hear it.
        kill(-child.processID, SIGCONT)
    }

    private mutating func endAtOnce() {
        if !hasEnded, !isKilled { terms.say("\(program) (process \(child.processID)) did not end, and is killed") }
        isKilled = true
        kill(-child.processID, SIGKILL)
    }

    private mutating func send() {
        guard let descriptor = input else { return }
        let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { unsent = unsent.dropFirst(count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // It has all, or does not want it.
        if count < 0 || unsent.isEmpty {
            close(descriptor)
            input = nil
        }
    }

    private mutating func receive() {
        let received = CommandExchange.unread(of: &output)
        if let receive = terms.receive {
            if !received.isEmpty { receive(received) }
        } else {
            result.output += received
        }
        if result.output.count > terms.outputLengthMax, !result.isTooLong {
            result.isTooLong = true
            if let descriptor = output { close(descriptor) }
            output = nil
            end()
        }
        let part = CommandExchange.unread(of: &errors)
        // Whoever runs this sees all of it.
        terms.complain(part)
        complaints.append(part)
    }

    /// What is there to be read, and no more than a pipe holds at most: others want to be read, too.
    private static func unread(of descriptor: inout Int32?) -> [UInt8] {
        var bytes: [UInt8] = []
        guard let number = descriptor else { return bytes }
        var part = [UInt8](repeating: 0, count: 1 << 16)
        for _ in 0..<16 {
            let count = part.withUnsafeMutableBytes { read(number, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN { break }
            guard count > 0 else {
                close(number)
                descriptor = nil
                break
            }
            bytes += part[..<count]
        }
        return bytes
    }
}
