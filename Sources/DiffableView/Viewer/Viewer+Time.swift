// What ends by itself. There is one next time to wake up, and none while nothing is about to end.

extension Viewer {
    /// When something happens that nobody has to do; nil: never.
    package var deadline: Duration? {
        var times = pane.changes.values.map { $0 }
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
        return times.min()
    }

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
        for list in panes.indices where panes[list].changes.contains(where: { $0.value <= now }) {
            panes[list].changes = panes[list].changes.filter { $0.value > now }
            setNeedsDrawing()
        }
        if !spinningRows.isEmpty { setNeedsDrawing() }
        // The banner takes a line.
        if (scene.composer.viewport.banner != nil) != (banner != nil) { layOut() }
    }

    mutating func setConnection(isUp: Bool) {
        if isUp, lostSince != nil {
            lostSince = nil
            // What was asked for over the old connection is settled by its failure, and what is under way is asked again.
            layOut()
        } else if !isUp, lostSince == nil {
            lostSince = now
        }
    }

    /// A short loss is not worth a word.
    var showsLoss: Bool { lostSince.map { now - $0 >= Self.lossDuration } ?? false }

    var banner: String? {
        switch pane.absence {
        case nil: break
        case .deleted?: return "The list \(pane.name) was deleted or renamed; another of the name is waited for"
        case .notReadable?:
            return "You may not read the list \(pane.name) any more; it is shown again when you may"
        }
        return showsLoss ? "The connection to the daemon is lost; it is tried again" : pane.notice
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
