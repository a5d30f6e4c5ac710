import CSystemd
import Glibc

/// The thread of a `UnitBus`, and all state that only this thread uses.
final class UnitBusLoop {
    private let front: UnitBus
    private let scope: UnitBus.Scope
    private let listener: UnitListener
    private var bus: OpaquePointer?
    private var failure: UnitFailure?

    /// Handlers of answers, by the call's number.
    private var answers: [UInt64: (BusMessage) -> Void] = [:]
    /// Numbers of the callers that wait for the end of a job, by the job's path.
    private var jobs: [String: Int] = [:]
    /// Jobs that ended before the answer arrived that names them.
    private var endedJobs: [String: String] = [:]
    private var callsForJobs = 0

    /// The most messages to process before checking for commands.
    private static let messagesPerTurn = 256
    private static let service = "org.freedesktop.systemd1"
    private static let path = "/org/freedesktop/systemd1"
    private static let manager = "org.freedesktop.systemd1.Manager"
    private static let unitPath = "/org/freedesktop/systemd1/unit"

    init(_ front: UnitBus, _ scope: UnitBus.Scope, _ listener: @escaping UnitListener) {
        self.front = front
        self.scope = scope
        self.listener = listener
    }

    func run() {
        open()
        while failure == nil {
            guard let commands = front.takeCommands() else { break }
            for command in commands { command(self) }
            process()
        }
        // Callers still waiting get no answer.
        if let bus { sd_bus_close_unref(bus) }
        if let failure { _ = listener(.ended(failure)) }
    }

    /// Processes the received messages, or waits if there is none.
    private func process() {
        for _ in 0..<Self.messagesPerTurn where failure == nil {
            let result = sd_bus_process(bus, nil)
            if result < 0 { return failConnection(-result) }
            if result == 0 { return wait() }
        }
    }

    private func wait() {
        var timeout: UInt64 = .max
        let events = sd_bus_get_events(bus)
        let result = sd_bus_get_timeout(bus, &timeout)
        guard failure == nil, events >= 0, result >= 0 else { return failConnection(-min(events, result)) }
        var descriptors = [
            pollfd(fd: sd_bus_get_fd(bus), events: Int16(events), revents: 0),
            pollfd(fd: front.wakeDescriptor, events: Int16(POLLIN), revents: 0),
        ]
        // An interrupted poll needs no repetition: the loop comes back here.
        poll(&descriptors, 2, timeout == .max ? -1 : milliseconds(until: timeout))
    }

    /// - Parameter time: in microseconds of the clock that sd-bus reads.
    private func milliseconds(until time: UInt64) -> Int32 {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let microseconds = UInt64(now.tv_sec) * 1_000_000 + UInt64(now.tv_nsec) / 1_000
        return time <= microseconds ? 0 : Int32(clamping: (time - microseconds + 999) / 1_000)
    }

    private func failConnection(_ error: Int32) {
        failure = failure ?? .disconnected("the connection to systemd was lost: \(errorDescription(error))")
    }

    // MARK: - Connecting

    private func open() {
        var opened: OpaquePointer?
        let result =
            switch scope {
            case .system: sd_bus_open_system_with_description(&opened, "diffable")
            case .user: sd_bus_open_user_with_description(&opened, "diffable")
            }
        guard result >= 0, let opened else {
            failure = .disconnected("the bus of systemd cannot be reached: \(errorDescription(-result))")
            return
        }
        bus = opened
        // No user is present to enter a password.
        sd_bus_set_allow_interactive_authorization(opened, 0)
        for member in ["UnitNew", "UnitRemoved", "JobRemoved", "Reloading", "UnitFilesChanged"] {
            addMatchRule("sender='\(Self.service)',path='\(Self.path)',interface='\(Self.manager)',member='\(member)'")
        }
        addMatchRule(
            "sender='\(Self.service)',path_namespace='\(Self.unitPath)',interface='org.freedesktop.DBus.Properties',"
                + "member='PropertiesChanged',arg0='org.freedesktop.systemd1.Unit'")
        addMatchRule(
            "sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus',"
                + "member='NameOwnerChanged',arg0='\(Self.service)'")
        subscribe()
    }

    private func addMatchRule(_ rule: String) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        let result = sd_bus_add_match_async(bus, nil, "type='signal',\(rule)", signalCallback, nil, context)
        if result < 0 { failConnection(-result) }
    }

    /// Subscribes, because systemd sends signals only to subscribers.
    private func subscribe() {
        call(Self.manager, "Subscribe", []) { [self] answer in
            guard let error = answer.error, error.name != "org.freedesktop.systemd1.AlreadySubscribed" else {
                return report(.subscribed)
            }
            failure = .disconnected("systemd does not answer on its bus: \(error.message)")
        }
    }

    // MARK: - Hearing

    private func report(_ news: UnitEvent) {
        for question in listener(news) { send(question) }
    }

    fileprivate func receiveSignal(_ message: BusMessage) {
        guard failure == nil, let member = sd_bus_message_get_member(message.pointer) else { return }
        switch String(cString: member) {
        case "UnitNew": if let name = message.string() { report(.loaded(name)) }
        case "UnitRemoved": if let name = message.string() { report(.unloaded(name)) }
        case "PropertiesChanged":
            guard let name = unitName(sd_bus_message_get_path(message.pointer)) else { return }
            report(message.changedState().map { .changed(name, $0) } ?? .loaded(name))
        case "Reloading": if let isActive = message.boolean() { report(isActive ? .reloading : .reloaded) }
        case "UnitFilesChanged": report(.filesChanged)
        case "JobRemoved":
            message.skip("u")
            guard let job = message.string("o"), message.string() != nil, let result = message.string() else { return }
            if let number = jobs.removeValue(forKey: job) {
                front.answer(number, .success(result))
            } else if callsForJobs > 0 {
                endedJobs[job] = result
            }
        case "NameOwnerChanged":
            guard message.string() != nil, message.string() != nil, let owner = message.string(), !owner.isEmpty else {
                return
            }
            subscribe()
        default: break
        }
    }

    private func unitName(_ path: UnsafePointer<CChar>?) -> String? {
        guard let path else { return nil }
        var name: UnsafeMutablePointer<CChar>?
        guard sd_bus_path_decode(path, Self.unitPath, &name) > 0, let name else { return nil }
        defer { free(name) }
        return String(cString: name)
    }

    // MARK: - Asking

    private func send(_ question: UnitQuery) {
        switch question {
        case .list(let patterns): askForUnits(patterns) { .listed($0) }
        case .look(let names): askForUnits(names) { .looked(at: names, $0) }
        case .files(let patterns):
            // Without the files, stopped units are missing, and all others are there.
            call(Self.manager, "ListUnitFilesByPatterns", [.texts([]), .texts(patterns)]) { [self] answer in
                report(.files(answer.unitFiles() ?? []))
            }
        case .since(let name):
            var path: UnsafeMutablePointer<CChar>?
            guard sd_bus_path_encode(Self.unitPath, name, &path) >= 0, let path else {
                return report(.since(name, nil))
            }
            defer { free(path) }
            call(
                "org.freedesktop.DBus.Properties", "Get",
                [.text("org.freedesktop.systemd1.Unit"), .text("StateChangeTimestamp")], at: String(cString: path)
            ) { [self] in report(.since(name, $0.error == nil ? $0.time() : nil)) }
        }
    }

    /// Asks for units by name. Names work as patterns, because none of their characters is special in one.
    private func askForUnits(_ patterns: [String], _ news: @escaping ([Unit]) -> UnitEvent) {
        call(Self.manager, "ListUnitsByPatterns", [.texts([]), .texts(patterns)]) { [self] answer in
            if let units = answer.units() { return report(news(units)) }
            failure = .disconnected("systemd did not list its units: \(answer.error?.message ?? "")")
        }
    }

    /// - Parameter number: of the caller that waits.
    func perform(_ action: UnitAction, on unit: String, for number: Int) {
        let method =
            switch action {
            case .start: "StartUnit"
            case .stop: "StopUnit"
            case .restart: "RestartUnit"
            }
        callsForJobs += 1
        call(Self.manager, method, [.text(unit), .text("replace")]) { [self] answer in
            callsForJobs -= 1
            if let error = answer.error {
                front.answer(number, .failure(UnitFailure(error.name, error.message)))
            } else if let job = answer.string("o") {
                if let result = endedJobs[job] {
                    front.answer(number, .success(result))
                } else {
                    jobs[job] = number
                }
            } else {
                front.answer(number, .failure(.unanswered("systemd's answer cannot be read")))
            }
            if callsForJobs == 0 { endedJobs = [:] }
        }
    }

    private enum Argument {
        case text(String)
        case texts([String])
    }

    private func call(
        _ interface: String, _ member: String, _ arguments: [Argument], at path: String = UnitBusLoop.path,
        _ take: @escaping (BusMessage) -> Void
    ) {
        var made: OpaquePointer?
        let result = sd_bus_message_new_method_call(bus, &made, Self.service, path, interface, member)
        guard result >= 0, let made else { return failConnection(-result) }
        defer { sd_bus_message_unref(made) }
        let message = BusMessage(pointer: made)
        for argument in arguments {
            let isWritten =
                switch argument {
                case .text(let text): message.append(text)
                case .texts(let texts): message.append(texts)
                }
            guard isWritten else { return failConnection(EINVAL) }
        }
        let context = Unmanaged.passUnretained(self).toOpaque()
        let sent = sd_bus_call_async(bus, nil, made, answerCallback, context, 0)
        var cookie: UInt64 = 0
        guard sent >= 0, sd_bus_message_get_cookie(made, &cookie) >= 0 else { return failConnection(-min(sent, 0)) }
        answers[cookie] = take
    }

    fileprivate func receiveAnswer(_ message: BusMessage) {
        var cookie: UInt64 = 0
        guard sd_bus_message_get_reply_cookie(message.pointer, &cookie) >= 0 else { return }
        answers.removeValue(forKey: cookie)?(message)
    }
}

extension UnitFailure {
    /// Maps the error names of D-Bus and systemd.
    fileprivate init(_ name: String, _ message: String) {
        switch name {
        case "org.freedesktop.DBus.Error.AccessDenied", "org.freedesktop.DBus.Error.AuthFailed",
            "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", "System.Error.EACCES", "System.Error.EPERM":
            self = .denied(message)
        case "org.freedesktop.DBus.Error.NoReply", "org.freedesktop.DBus.Error.Timeout",
            "org.freedesktop.DBus.Error.TimedOut", "org.freedesktop.DBus.Error.Disconnected", "System.Error.ETIMEDOUT",
            "System.Error.ECONNRESET", "System.Error.ENOTCONN":
            self = .unanswered(message)
        default: self = name.hasPrefix("org.freedesktop.PolicyKit1.Error") ? .denied(message) : .refused(message)
        }
    }
}

// MARK: - Callbacks of sd-bus, on the thread of the loop, which outlives its bus

private func signalCallback(
    message: OpaquePointer?, context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    Unmanaged<UnitBusLoop>.fromOpaque(context).takeUnretainedValue().receiveSignal(BusMessage(pointer: message))
    return 0
}

private func answerCallback(
    message: OpaquePointer?, context: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
    guard let message, let context else { return 0 }
    Unmanaged<UnitBusLoop>.fromOpaque(context).takeUnretainedValue().receiveAnswer(BusMessage(pointer: message))
    return 0
}
