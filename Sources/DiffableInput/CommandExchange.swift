import Dispatch
import Glibc

/// The pipes of a running command, and a loop that waits for any of them without blocking on one.
struct CommandExchange {
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
    private let options: CommandRun.Options
    private let wake: Int32
    /// Each descriptor is nil when it is closed.
    private var input: Int32?
    private var output: Int32?
    private var errors: Int32?
    private var unsent: ArraySlice<UInt8>
    private var complaints = LastLine()
    private var result = CommandRun.Result(ending: .status(0), output: [])
    private var hasEnded = false
    /// The time at which the command is asked to end; nil if there is no limit, or if it was already asked.
    private var timeout: ContinuousClock.Instant?
    /// The time at which the group is killed; nil while it may run.
    private var deadline: ContinuousClock.Instant?
    private var isKilled = false

    init(
        _ words: [String], _ environment: [String], _ bytes: [UInt8], _ options: CommandRun.Options, wakenBy wake: Int32
    ) throws(InputError) {
        program = words[0]
        self.options = options
        self.wake = wake
        unsent = bytes[...]
        var pipes: [(reading: Int32, writing: Int32)] = []
        do throws(InputError) {
            for _ in 0..<3 { pipes.append(try ChildProcess.pipe()) }
            child = try ChildProcess(
                words, input: .descriptor(pipes[0].reading), output: pipes[1].writing,
                errors: pipes[options.joinsErrors ? 1 : 2].writing,
                environment: environment, group: .own)
        } catch {
            for pipe in pipes {
                close(pipe.reading)
                close(pipe.writing)
            }
            throw error
        }
        for end in [pipes[0].reading, pipes[1].writing, pipes[2].writing] { close(end) }
        timeout = options.timeout.map { .now + $0 }
        (input, output, errors) = (pipes[0].writing, pipes[1].reading, pipes[2].reading)
        for end in [pipes[0].writing, pipes[1].reading, pipes[2].reading] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
    }

    /// Blocks until the command has ended. `waking` is the other end of `wake`.
    mutating func run(endedOver waking: Int32) -> CommandRun.Result {
        let child = child
        let waiter = DispatchSemaphore(value: 0)
        DispatchQueue(label: "end of a command").async {
            child.waitWithoutReaping()
            Event.hasEnded.write(to: waking)
            waiter.signal()
        }
        while !isOver { step() }
        // The pipes may still contain output from before its end.
        receive()
        for descriptor in [input, output, errors].compactMap(\.self) { close(descriptor) }
        // Until the process is reaped, no other process can have its number.
        if deadline != nil || options.leftovers == .killed { kill(-child.processID, SIGKILL) }
        waiter.wait()
        result.ending = child.wait()
        result.lastComplaint = complaints.text
        return result
    }

    /// Whether the run is over. After a request to end, processes of the command's group may still write: then the run is over
    /// when they have closed the output, or at the deadline.
    private var isOver: Bool {
        guard hasEnded, let deadline else { return hasEnded }
        return (output == nil && errors == nil) || deadline <= .now
    }

    private mutating func step() {
        // poll(2) ignores a negative descriptor.
        var polled = [
            pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
            pollfd(fd: input ?? -1, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: output ?? -1, events: Int16(POLLIN), revents: 0),
            pollfd(fd: errors ?? -1, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&polled, nfds_t(polled.count), patienceMilliseconds)
        if let deadline, deadline <= .now { killNow() }
        if let timeout, timeout <= .now {
            result.isOverdue = true
            terminate()
        }
        guard count > 0 else { return }
        if polled[0].revents != 0 { readEvent() }
        if polled[1].revents != 0 { send() }
        if polled[2].revents != 0 || polled[3].revents != 0 { receive() }
    }

    /// The timeout for poll(2). After the deadline the kernel ends the command and reports that.
    private var patienceMilliseconds: Int32 {
        guard let next = deadline ?? timeout else { return -1 }
        let (seconds, attoseconds) = (next - .now).components
        let milliseconds = seconds * 1_000 + attoseconds / 1_000_000_000_000_000
        return milliseconds < 0 ? 1_000 : Int32(clamping: milliseconds + 1)
    }

    private mutating func readEvent() {
        var byte: UInt8 = 0
        guard read(wake, &byte, 1) == 1 else { return }
        switch Event(rawValue: byte) {
        case .isCancelled?:
            options.say("stopping \(program) (process \(child.processID)), because its caller no longer waits")
            terminate()
        case .hasEnded?: hasEnded = true
        case nil: break
        }
    }

    private mutating func terminate() {
        guard deadline == nil else { return }
        deadline = .now + CommandRun.mercy
        timeout = nil
        kill(-child.processID, SIGTERM)
        // A stopped process handles the signal only when it continues.
        kill(-child.processID, SIGCONT)
    }

    private mutating func killNow() {
        if !hasEnded, !isKilled { options.say("\(program) (process \(child.processID)) did not end and was killed") }
        isKilled = true
        kill(-child.processID, SIGKILL)
    }

    private mutating func send() {
        guard let descriptor = input else { return }
        let count = unsent.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        if count > 0 { unsent = unsent.dropFirst(count) }
        if count < 0, errno == EAGAIN || errno == EINTR { return }
        // The command has read everything, or has closed its input.
        if count < 0 || unsent.isEmpty {
            close(descriptor)
            input = nil
        }
    }

    private mutating func receive() {
        let received = CommandExchange.drained(of: &output)
        var isTooLong = false
        if let receive = options.receive {
            if !received.isEmpty { isTooLong = !receive(received) }
        } else {
            result.output += received
            isTooLong = result.output.count > options.outputLengthMax
        }
        if isTooLong, !result.isTooLong {
            result.isTooLong = true
            if let descriptor = output { close(descriptor) }
            output = nil
            terminate()
        }
        let part = CommandExchange.drained(of: &errors)
        options.complain(part)
        complaints.append(part)
    }

    /// Reads at most 1 MiB, the most that a pipe holds, so that other pipes are read too.
    private static func drained(of descriptor: inout Int32?) -> [UInt8] {
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
