import DiffableJSON
import DiffableProtocol
import NIOCore

// Serving a session: first it writes while the socket accepts output and the time slice lasts, answers first. Then it
// reads buffered lines, for which the output may have made room. Finally it decides what to do next.

extension Session {
    /// The next step for `Connection`.
    enum Action {
        /// Send these lines, and return their buffer to the outbox.
        case send(ByteWriter)
        /// Write the next page of the line, and put the rest back into `openLine`.
        case continueLine(OpenLine)
        /// Report whether the client's subscriptions have received everything that an answer waits for:
        /// `reportBarrier`.
        case checkBarrier(Outbox.Barrier)
        /// Report whether everything that the first read needs is prepared: `reportRead`.
        case prepare(Request, RequestID)
        case carryOut(Request, RequestID)
        /// Send unordered lines that need not wait any longer, and report whether there were any: `reportUnordered`.
        case offerUnordered
        /// Send the next line or page of a subscription, and report whether there was one: `reportSubscriptions`.
        case offerSubscriptions
        /// Read one line, and report whether there was one: `reportLine`.
        case readLine
        /// Report the memory of this client to the user's quota.
        case noteKept
        /// Carry out the effects before the next action.
        case arrange(Effects)
        /// Report whether subscriptions have nothing left to send: `reportSubscriptionsFinished`.
        case checkSubscriptions
        /// Nothing more to do.
        case finish(Effects)
    }

    enum Stage {
        case idle
        /// For a client that sends more before it reads: the channel may buffer a few more answers.
        case offeringAnswers
        case writing(Source)
        /// The next answer waits for a barrier, and lines before it are ready.
        case sendingReadyLines
        /// The first read can be carried out.
        case carryingOut(Request, RequestID)
        /// A line, a page or several lines were written.
        case hasWritten
        case beginningToRead(then: Continuation)
        case reading(then: Continuation)
        case hasRead(then: Continuation)
        case settling
        /// The memory of the client is about to be reported to the quota.
        case notingKept
        case settled
        /// Everything is answered, and no more requests will arrive.
        case finishing
        case awaitingSubscriptions
        case closing
        case resumingRead
    }

    /// The sources of output, in order.
    enum Source {
        case answers, unordered, subscriptions
        /// Their lines may have waited for a subscription that had nothing to send.
        case answersAgain, unorderedAgain
    }

    enum Continuation {
        case nothing, writing, settling
    }

    mutating func beginServing() {
        leave(.serve)
        beginPages()
        // Subscribers may have been served since it read, so writing has a time slice of its own.
        endTimeSlice()
        stage = .offeringAnswers
    }

    /// Starts reading buffered lines without serving.
    mutating func beginReadingKeptLines() { stage = .beginningToRead(then: .nothing) }

    mutating func nextAction(
        _ externalState: ExternalState, _ turns: inout TimeSliceScheduler, at now: @autoclosure () -> NIODeadline
    ) -> Action {
        while isOpen {
            switch stage {
            case .idle: return .finish([])
            case .offeringAnswers:
                stage = .writing(.answers)
                if isSocketFull, openLine == nil, externalState.isChannelWritable, outbox.hasReadyLines {
                    return .send(outbox.takeReadyLines())
                }
            case .writing(let source):
                if let action = nextOutput(from: source, &turns, at: now()) { return action }
            case .carryingOut(let request, let id):
                // Lines after it were waiting for it.
                stage = .beginningToRead(then: .writing)
                return .carryOut(request, id)
            case .hasWritten:
                guard isTimeSliceOver(at: now()) else {
                    beginTimeSlice(&turns, at: now())
                    stage = .writing(.answers)
                    continue
                }
                finishWriting()
                return .arrange(enqueue(.postpone))
            case .sendingReadyLines:
                stage = .hasWritten
                return .send(outbox.takeReadyLines())
            case .beginningToRead(let next):
                clearLinesLeft()
                guard mayReadLines(externalState), externalState.hasBytes else {
                    continueAfterReading(next)
                    continue
                }
                beginReading(&turns, at: now())
                // At least one line, so that a client with continuous output is read too.
                stage = .reading(then: next)
                return .readLine
            case .reading: preconditionFailure("what came of a line is reported")
            case .hasRead(let next):
                guard shouldReadNextLine(externalState, at: now()) else {
                    continueAfterReading(next)
                    continue
                }
                stage = .reading(then: next)
                return .readLine
            case .settling:
                stage = .notingKept
                // Check twice: reporting the memory may start or end the pause.
                if externalState.isQuotaUsedUp { return .arrange(waitForQuota(externalState)) }
            case .notingKept:
                stage = .settled
                return .noteKept
            case .settled: return settle(externalState)
            case .finishing:
                stage = .awaitingSubscriptions
                return .checkSubscriptions
            case .awaitingSubscriptions: preconditionFailure("what came of the subscriptions is reported")
            case .closing:
                finishServing()
                return .finish(close())
            case .resumingRead:
                finishServing()
                return .finish(resumeReading(externalState))
            }
        }
        return .finish([])
    }

    // MARK: Writing

    /// Nil if the source has nothing to write now.
    private mutating func nextOutput(
        from source: Source, _ turns: inout TimeSliceScheduler, at now: @autoclosure () -> NIODeadline
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
        // The request is answered at the end of this iteration of the event loop.
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

    /// Decides the next step after this iteration.
    private mutating func settle(_ externalState: ExternalState) -> Action {
        var effects = externalState.isQuotaUsedUp ? waitForQuota(externalState) : []
        updateLinesLeft(externalState)
        if hasLinesLeft { effects.formUnion(enqueue(.postpone)) }
        if phase >= .closing || isIn([.serve, .postpone]) {
            finishServing()
            return .finish(effects)
        }
        stage = hasNothingLeft(externalState) ? .finishing : .resumingRead
        return .arrange(effects)
    }

    /// Whether no more requests will arrive and everything is answered.
    private func hasNothingLeft(_ externalState: ExternalState) -> Bool {
        phase >= .inputEnded && isIdle && (phase == .draining || !externalState.hasBytes)
    }

    mutating func reportSubscriptionsFinished(_ areFinished: Bool) {
        guard case .awaitingSubscriptions = stage else { return }
        stage = areFinished ? .closing : .resumingRead
    }

    private mutating func finishServing() {
        stage = .idle
        endTimeSlice()
    }
}
