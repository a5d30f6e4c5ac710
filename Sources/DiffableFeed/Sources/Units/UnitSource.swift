import DiffableClient
import DiffableInput
import Glibc
import Synchronization
import Systemd

/// Lists systemd units. systemd reports their changes, so nothing is polled.
package final class UnitSource: FeedSource {
    package typealias Connect = @Sendable (UnitBus.Scope, @escaping UnitListener) throws -> any UnitConnection

    private struct State {
        var units: FollowedUnits
        var connection: (any UnitConnection)?
        var failure: UnitFailure?
    }

    private let settings: UnitSettings
    let bus: UnitBus.Scope
    private let connect: Connect
    private let state: Mutex<State>

    /// The time in which news are combined: a starting unit is reported several times within milliseconds.
    static let settling = Duration.milliseconds(20)
    /// The minimal pause between two states, so that a unit that restarts all the time costs little.
    static let rest = Duration.milliseconds(40)

    /// `user` is the user whose service manager is the default; tests replace `connect`.
    package init(
        _ settings: UnitSettings, user: UInt32 = getuid(), connect: @escaping Connect = { try UnitBus($0, $1) }
    ) {
        self.settings = settings
        bus = settings.bus ?? (user == 0 ? .system : .user)
        self.connect = connect
        state = Mutex(State(units: FollowedUnits(settings)))
    }

    /// A lost connection is made again after a growing pause.
    package var runMode: FeedSchedule.RunMode { .stream }
    package var watchedPaths: [String] { [] }

    package func run(_ deliver: @escaping @Sendable (FeedState) -> Void) async throws {
        let wakeSignal = WakeSignal()
        state.withLock { $0 = State(units: FollowedUnits(settings)) }
        let connection: any UnitConnection
        do {
            connection = try connect(bus) { [self] news in
                let questions = state.withLock { state in
                    if case .ended(let failure) = news { state.failure = failure }
                    return state.units.receive(news)
                }
                wakeSignal.signal()
                return questions
            }
        } catch let failure as UnitFailure {
            throw explained(failure)
        }
        defer {
            connection.close()
            state.withLock { $0.connection = nil }
        }
        state.withLock { $0.connection = connection }
        var items = UnitItems(settings)
        var last: [String: Unit]?
        while true {
            if !wakeSignal.takeSignal() {
                await wakeSignal.wait()
                try await Task.sleep(for: Self.settling)
                _ = wakeSignal.takeSignal()
            }
            try Task.checkCancellation()
            let (known, failure) = state.withLock { ($0.units.known, $0.failure) }
            if let failure { throw explained(failure) }
            guard let known, known != last else { continue }
            last = known
            deliver(.whole(.whole(items.list(of: known))))
            try await Task.sleep(for: Self.rest)
        }
    }

    private func explained(_ failure: UnitFailure) -> FeedError {
        let reason =
            switch failure {
            case .disconnected(let message): message
            case .denied(let message), .refused(let message), .unanswered(let message):
                "the units of systemd cannot be read: \(message)"
            case .cancelled: "systemd did not list its units: the feed stopped waiting"
            }
        let remedy =
            switch bus {
            case .system: "check `systemctl status dbus`; for the units of a user, set bus: user"
            case .user:
                "check that `systemctl --user status` works for this user, which needs a session or `loginctl enable-linger`; "
                    + "for the system's units, set bus: system"
            }
        return FeedError("\(reason); \(remedy)")
    }
}

// MARK: - What can be asked of it

extension UnitSource {
    package var handler: ListHandler? {
        var handler = ListHandler()
        for action in UnitAction.allCases {
            guard let name = try? ActionName(action.rawValue) else { continue }
            handler.perform(name, returning: Content.self) { [self] request in
                .object(try await perform(action, request.target).map { ($0.unit, .string($0.result.utf8)) })
            }
        }
        return handler
    }

    /// Performs the action on all units concurrently. Returns each unit's successful result.
    package func perform(_ action: UnitAction, _ target: ActionTarget) async throws -> [(unit: String, result: String)]
    {
        guard case .items(let items) = target, !items.isEmpty else {
            throw RequestRefusal("no units are named; name the units to \(action.rawValue)")
        }
        let (connection, units) = state.withLock { ($0.connection, $0.units) }
        guard let connection, units.hasList else {
            throw RequestRefusal(
                "nothing was done, because there is no connection to systemd at the moment; the list of feeds (feeds by default) "
                    + "shows the reason")
        }
        let names = items.map { "\($0)" }
        if let name = names.first(where: { units.unit($0)?.isShown != true }) {
            throw RequestRefusal("\(name) is not a unit of this list, so nothing was done")
        }
        let outcomes = await withTaskGroup(of: (Int, Result<String, UnitFailure>).self) { group in
            for (index, name) in names.enumerated() {
                group.addTask {
                    let outcome: Result<String, UnitFailure>
                    do throws(UnitFailure) {
                        outcome = .success(try await connection.perform(action, on: name))
                    } catch {
                        outcome = .failure(error)
                    }
                    return (index, outcome)
                }
            }
            var outcomes = [Result<String, UnitFailure>](repeating: .failure(.cancelled), count: names.count)
            for await (index, outcome) in group { outcomes[index] = outcome }
            return outcomes
        }
        try Task.checkCancellation()
        return try UnitActionResults(action, on: bus, zip(names, outcomes)).results()
    }
}
