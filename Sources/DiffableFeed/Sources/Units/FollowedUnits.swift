import Systemd

/// The units of a service manager. It is a value that gets the news and returns the next questions to systemd.
///
/// News of state changes include the new state. Only loaded units, and the time of their state, have to be asked for. That
/// question makes systemd load a forgotten unit and report it as loaded. So after a list, the time is asked only for active
/// units, and a unit that is loaded and forgotten again and again is never loaded by this feed.
package struct FollowedUnits: Sendable {
    private let settings: UnitSettings
    private var units: [String: Unit] = [:]
    /// The units that can be loaded from a file, as they are while they are not loaded.
    private var files: [String: Unit] = [:]
    private var hasFiles = false
    private var isAskingForFiles = false
    private var areFilesStale = false
    /// Units whose `since` question is unanswered.
    private var timeless: Set<String> = []
    /// The units among them for which the first state waits.
    private var firstTimeless: Set<String> = []
    /// Units that were reported as loaded since the last question.
    private var loaded: Set<String> = []
    private var isLooking = false
    private var isListing = false
    /// Whether a list was received since the connection to the service manager.
    package private(set) var hasList = false
    private var isReloading = false

    /// The number of loaded units above which a complete list is requested: systemd scans all of its units for each name.
    static let looksMax = 32

    package init(_ settings: UnitSettings) { self.settings = settings }

    /// All units; nil during a reload, and until the list, the files and the first times are known.
    package var known: [String: Unit]? {
        guard hasList, hasFiles, firstTimeless.isEmpty, !isReloading else { return nil }
        var known = files
        for name in units.keys { known[name] = unit(name) }
        return known
    }

    /// A unit's last state, even while systemd reloads its files.
    package func unit(_ name: String) -> Unit? {
        let file = files[name]
        // A file that was created since systemd looked for it.
        guard var unit = units[name], file == nil || unit.isShown else { return file }
        unit.file = file?.file
        return unit
    }

    package mutating func receive(_ news: UnitEvent) -> [UnitQuery] {
        switch news {
        case .subscribed:
            self = FollowedUnits(settings)
            return requestUnits() + requestFiles()
        case .loaded(let name):
            guard settings.has(name) else { return [] }
            loaded.insert(name)
            return queryLoaded()
        case .unloaded(let name):
            // During a reload, systemd forgets all units and loads them again.
            if !isReloading { forget(name) }
        case .changed(let name, let state):
            guard units[name] != nil else { return receive(.loaded(name)) }
            units[name]?.state = state
            noteTimeKnown(name)
        case .reloading: isReloading = true
        case .reloaded:
            isReloading = false
            return requestUnits() + requestFiles()
        case .listed(let listed): return setUnits(listed)
        case .looked(let names, let found):
            isLooking = false
            let found = Dictionary(found.map { ($0.name, $0) }) { $1 }
            var questions: [UnitQuery] = []
            for name in names {
                if let unit = found[name] { questions += setUnit(unit, wasLoaded: true) } else { forget(name) }
            }
            return questions + queryLoaded()
        case .filesChanged: return requestFiles()
        case .files(let found):
            (isAskingForFiles, hasFiles) = (false, true)
            setFiles(found)
            if areFilesStale { return requestFiles() }
        case .since(let name, let time):
            guard timeless.contains(name) else { return [] }
            units[name]?.state.since = time
            noteTimeKnown(name)
        case .ended: break
        }
        return []
    }

    /// Requests all units. The answer includes all news before it.
    private mutating func requestUnits() -> [UnitQuery] {
        guard !isListing else { return [] }
        isListing = true
        return [.list(settings.patterns)]
    }

    private mutating func requestFiles() -> [UnitQuery] {
        areFilesStale = isAskingForFiles
        if isAskingForFiles { return [] }
        isAskingForFiles = true
        return [.files(settings.patterns)]
    }

    private mutating func setFiles(_ found: [UnitFile]) {
        var files: [String: Unit] = [:]
        for file in found where settings.has(file.name) && file.isOfOneUnit {
            let description = units[file.name]?.description ?? self.files[file.name]?.description ?? ""
            files[file.name] = Unit(
                name: file.name, description: description, load: file.state.hasPrefix("masked") ? "masked" : "loaded",
                state: UnitState(active: "inactive", sub: "dead"), file: file.state)
        }
        self.files = files
    }

    private mutating func queryLoaded() -> [UnitQuery] {
        guard !loaded.isEmpty, !isListing, !isLooking, !isReloading else { return [] }
        guard loaded.count <= Self.looksMax else { return requestUnits() }
        isLooking = true
        defer { loaded = [] }
        return [.look(loaded.sorted())]
    }

    private mutating func setUnits(_ listed: [Unit]) -> [UnitQuery] {
        isListing = false
        // The next list, after the reload, has them.
        if isReloading { return [] }
        let isFirst = !hasList
        hasList = true
        let wasLoaded = loaded
        loaded = []
        let listed = listed.filter { settings.has($0.name) }
        let names = Set(listed.map(\.name))
        for name in units.keys where !names.contains(name) { forget(name) }
        var questions: [UnitQuery] = []
        for unit in listed {
            questions += setUnit(unit, wasLoaded: wasLoaded.contains(unit.name), isFirst: isFirst)
        }
        if isFirst { firstTimeless = timeless }
        return questions
    }

    /// `wasLoaded` says whether the unit was reported as loaded. Until then, no other news of it arrive.
    private mutating func setUnit(_ unit: Unit, wasLoaded: Bool, isFirst: Bool = false) -> [UnitQuery] {
        var unit = unit
        let name = unit.name
        let known = units[name]
        let isSame = known?.state.active == unit.state.active && known?.state.sub == unit.state.sub
        if isSame { unit.state.since = known?.state.since }
        units[name] = unit
        // News of any change in between include the time.
        if isSame, !wasLoaded { return [] }
        if known == nil, unit.state.active == "inactive", !isFirst { return [] }
        timeless.insert(name)
        return [.since(name)]
    }

    private mutating func noteTimeKnown(_ name: String) {
        timeless.remove(name)
        firstTimeless.remove(name)
    }

    private mutating func forget(_ name: String) {
        // systemd knows a description only while the unit is loaded.
        if let unit = units[name] { files[name]?.description = unit.description }
        units[name] = nil
        noteTimeKnown(name)
    }
}

extension UnitFile {
    /// Whether the file is of one unit that stays: a template has many, an alias is of a unit with another name, and a transient
    /// file is deleted with its unit.
    fileprivate var isOfOneUnit: Bool { !name.contains("@.") && !["alias", "transient"].contains(state) }
}
