import Systemd

/// What is known of the units of a service manager: a value that is told the news, and says what is to be asked next.
///
/// Changes of state are told with the state. Only what was loaded has to be asked for, and since when it is in its state. For that,
/// systemd loads a unit that it has forgotten meanwhile, and tells that it was loaded; so after a list, only units that do something
/// are asked since when, and a unit that is loaded and forgotten again and again is never loaded by us.
package struct FollowedUnits: Sendable {
    private let settings: UnitSettings
    private var units: [String: Unit] = [:]
    /// Whose answer to `since` is under way.
    private var timeless: Set<String> = []
    /// Those of them that the first state waits for.
    private var firstTimeless: Set<String> = []
    /// Of which was told that they were loaded, since they were asked for last.
    private var loaded: Set<String> = []
    private var isLooking = false
    private var isListing = false
    /// Whether a list has come since the service manager was connected to.
    package private(set) var hasList = false
    private var isReloading = false

    /// Of more than so many a list is asked for: for each name systemd looks through all of its units.
    static let looksMax = 32

    package init(_ settings: UnitSettings) { self.settings = settings }

    /// All of them; nil as long as it is not known which there are.
    package var known: [String: Unit]? { hasList && firstTimeless.isEmpty && !isReloading ? units : nil }

    /// One of them as it was last, also while systemd reads its files.
    package func unit(_ name: String) -> Unit? { units[name] }

    package mutating func hear(_ news: UnitNews) -> [UnitQuestion] {
        switch news {
        case .subscribed:
            self = FollowedUnits(settings)
            return list()
        case .loaded(let name):
            guard settings.has(name) else { return [] }
            loaded.insert(name)
            return look()
        case .unloaded(let name):
            // While it reads its files, all are forgotten, and come back.
            if !isReloading { forget(name) }
        case .changed(let name, let state):
            guard units[name] != nil else { return hear(.loaded(name)) }
            units[name]?.state = state
            know(name)
        case .reloading: isReloading = true
        case .reloaded:
            isReloading = false
            return list()
        case .listed(let listed): return take(listed)
        case .looked(let names, let found):
            isLooking = false
            let found = Dictionary(found.map { ($0.name, $0) }) { $1 }
            var questions: [UnitQuestion] = []
            for name in names {
                if let unit = found[name] { questions += put(unit, wasLoaded: true) } else { forget(name) }
            }
            return questions + look()
        case .since(let name, let time):
            guard timeless.contains(name) else { return [] }
            units[name]?.state.since = time
            know(name)
        case .ended: break
        }
        return []
    }

    /// All of them anew. What was told before the answer is in it.
    private mutating func list() -> [UnitQuestion] {
        guard !isListing else { return [] }
        isListing = true
        return [.list(settings.patterns)]
    }

    private mutating func look() -> [UnitQuestion] {
        guard !loaded.isEmpty, !isListing, !isLooking, !isReloading else { return [] }
        guard loaded.count <= Self.looksMax else { return list() }
        isLooking = true
        defer { loaded = [] }
        return [.look(loaded.sorted())]
    }

    private mutating func take(_ listed: [Unit]) -> [UnitQuestion] {
        isListing = false
        // The one that is told when they were read brings them.
        if isReloading { return [] }
        let isFirst = !hasList
        hasList = true
        let wasLoaded = loaded
        loaded = []
        let listed = listed.filter { settings.has($0.name) }
        let names = Set(listed.map(\.name))
        for name in units.keys where !names.contains(name) { forget(name) }
        var questions: [UnitQuestion] = []
        for unit in listed {
            questions += put(unit, wasLoaded: wasLoaded.contains(unit.name), isFirst: isFirst)
        }
        if isFirst { firstTimeless = timeless }
        return questions
    }

    /// - Parameter wasLoaded: whether it was told to be loaded. Of one of which that has not been told yet, nothing else is told.
    private mutating func put(_ unit: Unit, wasLoaded: Bool, isFirst: Bool = false) -> [UnitQuestion] {
        var unit = unit
        let name = unit.name
        let known = units[name]
        let isSame = known?.state.active == unit.state.active && known?.state.sub == unit.state.sub
        if isSame { unit.state.since = known?.state.since }
        units[name] = unit
        // Whatever happened between was told, with the time.
        if isSame, !wasLoaded { return [] }
        if known == nil, unit.state.active == "inactive", !isFirst { return [] }
        timeless.insert(name)
        return [.since(name)]
    }

    private mutating func know(_ name: String) {
        timeless.remove(name)
        firstTimeless.remove(name)
    }

    private mutating func forget(_ name: String) {
        units[name] = nil
        know(name)
    }
}
