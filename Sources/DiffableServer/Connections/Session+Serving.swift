import DiffableJSON
import DiffableProtocol
import NIOCore

// How a session is served: first it writes as long as the socket takes it and the turn lasts, answers first; then it
// reads lines that came before, which what was written may have made room for; then it settles what comes after.

extension Session {
    /// What is to be done next.
    enum Action {
        /// Send these lines, and hand their storage back to the outbox.
        case send(ByteWriter)
        /// Write the next page of the line, and put the rest of it back into `openLine`.
        case continueLine(OpenLine)
        /// Report whether the client's subscriptions have been sent what an answer waits for: `reportBarrier`.
        case checkBarrier(Outbox.Barrier)
        /// Report whether all is found that the request needs, whose turn has come: `reportRead`.
        case prepare(Request, RequestID)
        case carryOut(Request, RequestID)
        /// Send lines that have no order and wait for nothing any more, and report whether there were any: `reportUnordered`.
        case offerUnordered
        /// Send the next line or page of a subscription, and report whether there was one: `reportSubscriptions`.
        case offerSubscriptions
        /// Read one line, and report whether there was one: `reportLine`.
        case readLine
        /// Tell the user's quota what is kept for this client.
        case noteKept
        /// Carry out the effects before anything else.
        case arrange(Effects)
        /// Report whether subscriptions keep the connection open, none or all of them having been sent all there is:
        /// `reportSubscriptionsFinished`.
        case checkSubscriptions
        /// Nothing more.
        case finish(Effects)
    }

    /// What comes next.
    enum Stage {
        case idle
        /// A client that sends on before it reads: the channel may keep a few answers more.
        case offeringAnswers
        case writing(Source)
        /// The next answer waits for a barrier, and lines before it are ready.
        case sendingReadyLines
        /// The read whose turn has come is carried out.
        case carryingOut(Request, RequestID)
        /// A line, a page or several lines were written.
        case hasWritten
        case beginningToRead(then: Continuation)
        case reading(then: Continuation)
        /// A line was read.
        case hasRead(then: Continuation)
        case settling
        /// The client's quota is about to be told what is kept.
        case notingKept
        case settled
        /// Nothing was asked that is not answered, and no more is asked.
        case finishing
        case awaitingSubscriptions
        case closing
        case resumingRead
    }

    /// Where lines come from, in this order.
    enum Source {
        case answers, unordered, subscriptions
        /// They may have waited for a subscription that had nothing to say.
        case answersAgain, unorderedAgain
    }

    /// What reading lines is followed by.
    enum Continuation {
        case nothing, writing, settling
    }

    /// Its turn to be served has come.
    mutating func beginServing() {
        leave(.serve)
        beginPages()
        // Subscribers may have been served since it read: writing has a time of its own.
        endTurn()
        stage = .offeringAnswers
    }

    /// Reads lines that were kept, outside of its turn to be served.
    mutating func beginReadingKeptLines() { stage = .beginningToRead(then: .nothing) }

    mutating func nextAction(
        _ surroundings: Surroundings, _ turns: inout TurnScheduler, at now: @autoclosure () -> NIODeadline
    ) -> Action {
        while isOpen {
            switch stage {
            case .idle: return .finish([])
            case .offeringAnswers:
                stage = .writing(.answers)
                if isSocketFull, openLine == nil, surroundings.isChannelWritable, outbox.hasReadyLines {
                    return .send(outbox.takeReadyLines())
                }
            case .writing(let source):
                if let action = nextOutput(from: source, &turns, at: now()) { return action }
            case .carryingOut(let request, let id):
                // Lines behind it were waiting for it.
                stage = .beginningToRead(then: .writing)
                return .carryOut(request, id)
            case .hasWritten:
                guard isTurnOver(at: now()) else {
                    beginTurn(&turns, at: now())
                    stage = .writing(.answers)
                    continue
                }
                finishWriting()
                return .arrange(enqueue(.postpone))
            case .sendingReadyLines:
                stage = .hasWritten
                return .send(outbox.takeReadyLines())
            case .beginningToRead(let next):
                takeUpLines()
                guard mayReadLines(surroundings), surroundings.hasBytes else {
                    continueAfterReading(next)
                    continue
                }
                beginReading(&turns, at: now())
                // One at least, so that who is written to all the time is read as well.
                stage = .reading(then: next)
                return .readLine
            case .reading: preconditionFailure("what came of a line is reported")
            case .hasRead(let next):
                guard goesOnReading(surroundings, at: now()) else {
                    continueAfterReading(next)
                    continue
                }
                stage = .reading(then: next)
                return .readLine
            case .settling:
                stage = .notingKept
                // Before and after: to note what is kept may be what ends the pause, or what begins it.
                if surroundings.isQuotaUsedUp { return .arrange(waitForQuota(surroundings)) }
            case .notingKept:
                stage = .settled
                return .noteKept
            case .settled: return settle(surroundings)
            case .finishing:
                stage = .awaitingSubscriptions
                return .checkSubscriptions
            case .awaitingSubscriptions: preconditionFailure("what came of the subscriptions is reported")
            case .closing:
                finishServing()
                return .finish(close())
            case .resumingRead:
                finishServing()
                return .finish(resumeReading(surroundings))
            }
        }
        return .finish([])
    }

    // MARK: Writing

    /// Nil when that source has nothing to write now.
    private mutating func nextOutput(
        from source: Source, _ turns: inout TurnScheduler, at now: @autoclosure () -> NIODeadline
    ) -> Action? {
        guard mayWrite else {
            finishWriting()
            return nil
        }
        if let line = openLine {
            if let effects = takeRoomForPage(&turns, at: now()) {
                finishWriting()
                return .arrange(effects)
            }
            openLine = nil
            stage = .hasWritten
            return .continueLine(line)
        }
        switch source {
        case .answers, .answersAgain: return nextAnswer(from: source)
        case .unordered, .unorderedAgain:
            if hasSocket, !unordered.isEmpty { return .offerUnordered }
            leaveSource(source)
            return nil
        case .subscriptions: return .offerSubscriptions
        }
    }

    private mutating func nextAnswer(from source: Source) -> Action? {
        if case .line(_, let barrier?)? = outbox.first { return .checkBarrier(barrier) }
        if outbox.hasReadyLines {
            stage = .hasWritten
            return .send(outbox.takeReadyLines())
        }
        if let line = outbox.takeLongLine() {
            openLine = .longAnswer(line, written: 0)
            return nil
        }
        if case .read(let request, let id)? = outbox.first { return .prepare(request, id) }
        leaveSource(source)
        return nil
    }

    private mutating func leaveSource(_ source: Source) {
        switch source {
        case .answers: stage = .writing(.unordered)
        case .unordered: stage = .writing(.subscriptions)
        case .subscriptions: stage = .writing(.answersAgain)
        case .answersAgain: stage = .writing(.unorderedAgain)
        case .unorderedAgain: finishWriting()
        }
    }

    private mutating func finishWriting() {
        stage = hasLinesLeft ? .settling : .beginningToRead(then: .settling)
    }

    mutating func reportBarrier(isPassed: Bool) {
        guard case .writing(let source) = stage else { return }
        if isPassed { return outbox.release() }
        if outbox.hasReadyLines { stage = .sendingReadyLines } else { leaveSource(source) }
    }

    mutating func reportRead(isPrepared: Bool) {
        guard case .writing(let source) = stage, case .read(let request, let id)? = outbox.first else { return }
        guard isPrepared else { return leaveSource(source) }
        outbox.removeRead()
        stage = .carryingOut(request, id)
    }

    mutating func reportUnordered(hadLines: Bool) {
        guard case .writing(let source) = stage else { return }
        if hadLines { stage = .hasWritten } else { leaveSource(source) }
    }

    mutating func reportSubscriptions(hadLine: Bool) {
        guard case .writing(.subscriptions) = stage else { return }
        if hadLine { stage = .hasWritten } else { leaveSource(.subscriptions) }
    }

    // MARK: Reading

    mutating func reportLine(wasThere: Bool) -> Effects {
        guard case .reading(let next) = stage else { return [] }
        guard wasThere else {
            continueAfterReading(next)
            return []
        }
        stage = .hasRead(then: next)
        // What it asks for is answered at the end of the turn.
        return markDue()
    }

    private mutating func continueAfterReading(_ next: Continuation) {
        switch next {
        case .nothing: stage = .idle
        case .writing: stage = .hasWritten
        case .settling: stage = .settling
        }
    }

    // MARK: Settling

    /// What comes after this turn.
    private mutating func settle(_ surroundings: Surroundings) -> Action {
        var effects = surroundings.isQuotaUsedUp ? waitForQuota(surroundings) : []
        keepLines(surroundings)
        if hasLinesLeft { effects.formUnion(enqueue(.postpone)) }
        if phase >= .closing || isIn([.serve, .postpone]) {
            finishServing()
            return .finish(effects)
        }
        stage = hasNothingLeft(surroundings) ? .finishing : .resumingRead
        return .arrange(effects)
    }

    /// Whether nobody asks any more and everybody is answered.
    private func hasNothingLeft(_ surroundings: Surroundings) -> Bool {
        phase >= .inputEnded && isIdle && (phase == .draining || !surroundings.hasBytes)
    }

    mutating func reportSubscriptionsFinished(_ areFinished: Bool) {
        guard case .awaitingSubscriptions = stage else { return }
        stage = areFinished ? .closing : .resumingRead
    }

    private mutating func finishServing() {
        stage = .idle
        endTurn()
    }
}
