// Timed events. There is a single next deadline, and none if nothing is about to end.

extension Viewer {
    /// The time of the next event; nil: none.
    package var deadline: Duration? {
        var times = pane.changes.values.map { $0.begin + Self.changeStep * ($0.mark.step.rawValue + 1) }
        if let message { times.append(message.end) }
        if let flash { times.append(flash.end) }
        if let questionPause { times.append(questionPause) }
        if let lostSince, !showsLoss { times.append(lostSince + Self.lossDuration) }
        times += pane.requests.values.lazy.filter { $0.row != nil && !isSpinning($0) }.map {
            $0.begin + Self.spinnerDelay
        }
        if !spinningRows.isEmpty, !options.reducesMotion {
            times.append(Self.spinnerStep * (now / Self.spinnerStep).rounded(.down) + Self.spinnerStep)
        }
        if let textDeadline { times.append(textDeadline) }
        return times.min()
    }

    /// Milliseconds since 1970.
    var wallTime: Int { startTime + Int(now / .milliseconds(1)) }

    /// When a text on the screen, such as an age, will be another one.
    var textDeadline: Duration? { scene.changesAt.map { .milliseconds($0 - startTime) } }

    mutating func expire() {
        if let message, message.end <= now {
            self.message = nil
            setNeedsDrawing()
        }
        if let flash, flash.end <= now {
            self.flash = nil
            setNeedsDrawing()
        }
        if let questionPause, questionPause <= now { self.questionPause = nil }
        for list in panes.indices where !panes[list].changes.isEmpty { fadeChanges(of: list) }
        if !spinningRows.isEmpty { setNeedsDrawing() }
        // The banner takes a line.
        if (scene.composer.viewport.banner != nil) != (banner != nil) { layOut() }
    }

    private mutating func fadeChanges(of list: Int) {
        for (item, change) in panes[list].changes {
            let step = ChangeMark.Step(rawValue: Int((now - change.begin) / Self.changeStep))
            guard step != change.mark.step else { continue }
            if let step { panes[list].changes[item]?.mark.step = step } else { panes[list].changes[item] = nil }
            setNeedsDrawing()
        }
    }

    static let changeStep = Duration.milliseconds(400)

    mutating func setConnection(isUp: Bool) {
        if isUp, lostSince != nil {
            lostSince = nil
            // Only the banner and the hints change: requests over the old connection have failed already, and pending
            // queries are repeated.
            layOut()
        } else if !isUp, lostSince == nil {
            lostSince = now
        }
    }

    /// A short loss is not shown.
    var showsLoss: Bool { lostSince.map { now - $0 >= Self.lossDuration } ?? false }

    var banner: String? {
        switch pane.absence {
        case nil: break
        case .deleted?: return "The list \(pane.name) was deleted or renamed; waiting for a new list of this name"
        case .notReadable?:
            return "You may no longer read the list \(pane.name); it is shown again when you may"
        }
        return showsLoss ? "The connection to the daemon is lost; reconnecting" : pane.notice
    }

    private func isSpinning(_ request: Pane.PendingRequest) -> Bool { now - request.begin >= Self.spinnerDelay }

    var spinningRows: Set<RowID> {
        Set(pane.requests.values.filter(isSpinning).compactMap(\.row))
    }

    var spinnerStepNumber: Int { options.reducesMotion ? 0 : Int(now / Self.spinnerStep) }

    private static let lossDuration = Duration.milliseconds(300)
    private static let spinnerDelay = Duration.milliseconds(150)
    private static let spinnerStep = Duration.milliseconds(100)
}
