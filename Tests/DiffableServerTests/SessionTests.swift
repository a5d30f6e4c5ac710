import Diffable
import DiffableJSON
import DiffableProtocol
import NIOCore
import TestSupport
import Testing

@testable import DiffableServer

@Suite struct `A session` {
    private let now = NIODeadline.uptimeNanoseconds(1_000_000_000)

    @Test func `keeps its promises, whatever happens in whatever order`() {
        var random = SplitMix64()
        for _ in 0..<1_000 {
            let seed = random.next()
            do {
                let run = SessionRun(seed: seed)
                try run.run(events: 100)
                try run.finish()
            } catch {
                Issue.record("seed \(seed): \(error)")
                return
            }
        }
    }

    private let free = Session.ExternalState(hasBytes: false, isQuotaUsedUp: false)

    @Test func `reads no more while as many answers wait as may`() {
        var session = Session(number: 1)
        for _ in 1..<Session.answersMax { _ = session.outbox.reserve() }
        #expect(session.mayReadLines(free))
        let last = session.outbox.reserve()
        #expect(!session.mayReadLines(free))
        let effects = session.askToRead(free)
        #expect(effects == [])
        session.outbox.fill(last, after: nil) { $0.append("x\n") }
        #expect(!session.mayReadLines(free), "those before it wait still")
    }

    @Test func `reads no more while answers are as long as they may be`() {
        var session = Session(number: 1)
        session.outbox.append { $0.append([UInt8](repeating: 0, count: Session.answersLengthMax - 1)) }
        #expect(session.mayReadLines(free))
        session.outbox.append { $0.append("x") }
        #expect(!session.mayReadLines(free))
        _ = session.outbox.takeReadyLines()
        #expect(session.mayReadLines(free))
    }

    @Test func `leaves lines for later when its turn is over, and goes on after the others`() {
        var session = Session(number: 1)
        var turns = TimeSliceScheduler()
        let waiting = Session.ExternalState(hasBytes: true, isQuotaUsedUp: false)
        session.beginReading(&turns, at: now)
        let goesOn = [250, 5_000].map { session.shouldReadNextLine(waiting, at: now + .microseconds($0)) }
        #expect(goesOn == [true, false])
        #expect(!session.mayReadMore(waiting))
        let places = [session.markDue(), session.markDue(), serve(&session, waiting), session.resume()]
        #expect(places == [.serve, [], .postpone, .serve])
        #expect(session.mayReadMore(waiting))
    }

    @Test func `closes once, when what was asked is answered`() {
        var session = Session(number: 1)
        let place = session.outbox.reserve()
        let before = [session.drain(), serve(&session, free)]
        #expect(before == [.serve, []])
        session.outbox.fill(place, after: nil) { $0.append("x\n") }
        let after = [session.markDue(), serve(&session, free)]
        #expect(after == [.serve, .close])
        #expect(!session.mayWrite)
        let again = [session.drain(), serve(&session, free)]
        #expect(again == [.serve, []])
    }

    @Test func `reads one line when its user may ask again, and gets in line for the next`() {
        var session = Session(number: 1)
        let waiting = Session.ExternalState(hasBytes: true, isQuotaUsedUp: true)
        let first = session.askToRead(waiting)
        #expect(first == .waitForQuota)
        let mayAsk = Session.ExternalState(hasBytes: true, isQuotaUsedUp: false)
        let reads = session.beginQuotaTurn(mayAsk)
        #expect(reads)
        let next = session.endQuotaTurn(hasReadLine: true, mayAsk)
        #expect(next == [.waitForQuota, .serve])
        _ = session.beginQuotaTurn(mayAsk)
        let last = session.endQuotaTurn(hasReadLine: true, free)
        #expect(last == .read, "there is no more, and the channel may go on")
    }

    /// Otherwise each read would cost an iteration of the loop.
    @Test func `reads the lines behind a read at once, when that is carried out`() {
        var session = Session(number: 1)
        session.beginServing()
        let waiting = Session.ExternalState(hasBytes: true, isQuotaUsedUp: false)
        var (turns, linesLeft, carriedOut) = (TimeSliceScheduler(), 5, 0)
        while true {
            switch session.nextAction(linesLeft > 0 ? waiting : free, &turns, at: now) {
            case .offerUnordered: session.reportUnordered(hadLines: false)
            case .offerSubscriptions: session.reportSubscriptions(hadLine: false)
            case .readLine:
                linesLeft -= 1
                session.outbox.append(.lists(.init()), .null)
                _ = session.reportLine(wasThere: true)
                // The first read is executed outside of the iteration.
                if linesLeft == 4 { session.beginServing() }
            case .prepare: session.reportRead(isPrepared: true)
            case .carryOut: carriedOut += 1
            case .checkSubscriptions: session.reportSubscriptionsFinished(true)
            case .finish:
                #expect(carriedOut == 5 && linesLeft == 0)
                return
            case .arrange, .send, .continueLine, .checkBarrier, .noteKept: break
            }
        }
    }

    /// Serves the session, and returns its actions.
    private func serve(_ session: inout Session, _ externalState: Session.ExternalState) -> Session.Effects {
        session.beginServing()
        var (turns, effects) = (TimeSliceScheduler(), Session.Effects())
        while true {
            switch session.nextAction(externalState, &turns, at: now) {
            case .offerUnordered: session.reportUnordered(hadLines: false)
            case .offerSubscriptions: session.reportSubscriptions(hadLine: false)
            case .readLine: effects.formUnion(session.reportLine(wasThere: false))
            case .checkSubscriptions: session.reportSubscriptionsFinished(true)
            case .arrange(let more): effects.formUnion(more)
            case .finish(let more): return effects.union(more)
            case .send, .continueLine, .checkBarrier, .prepare, .carryOut, .noteKept: break
            }
        }
    }
}
