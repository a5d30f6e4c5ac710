import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Makes this connection a list's handler, and gives its number.
    ///
    /// - Parameter receiver: is told of each request, of what is cancelled, and of the end.
    func begin(
        _ handler: Request.Handle, _ receiver: @escaping Conversation.Receiver
    ) async throws(ClientError) -> Int {
        let result = try await exchange(.handler(receiver)) { id, writer throws(ClientError) in
            Request.handle(handler).write(id: id, into: &writer)
            return .done
        }
        return try decoded { () throws(DecodingError) in try Reply.Handle(json: result).handler }
    }

    /// Ends a handler without waiting for the answer: also from where nothing can wait.
    func endSoon(handler: Int) {
        withConversation { $0.forget(handler: handler) }
        writeSoon(.unhandle(.init(handler: handler)), id: .absent)
    }

    /// Answers a request. That nobody waits for the answer any more is no error.
    ///
    /// - Returns: why the answer was not taken, when whoever asked heard that instead; nil when it was.
    func answer(
        _ request: HandlerRequest, _ verdict: Request.Answer.Verdict
    ) async throws(ClientError) -> String? {
        let objection: String
        do throws(ClientError) {
            let answer = Request.Answer(request.request, verdict)
            if let tooLong = try await self.objection(toLengthOf: answer) {
                objection = tooLong
            } else {
                _ = try await reply(to: .answer(answer))
                return nil
            }
        } catch .refused(let refusal) where refusal.code == WireError.Code.noSuchRequest.rawValue {
            return nil
        } catch .refused(let refusal) {
            // What was said cannot be an answer: it is too long, or no change of that list. Whoever asked hears why.
            objection = refusal.message
        }
        let instead = verdict.instead(objection, to: request.content.kind)
        _ = try? await reply(to: .answer(Request.Answer(request.request, instead)))
        return objection
    }

    /// Why a line cannot have the answer; nil when one can.
    private func objection(toLengthOf answer: Request.Answer) async throws(ClientError) -> String? {
        var writer = ByteWriter()
        Request.answer(answer).write(id: .number(.max), into: &writer)
        guard writer.count > Connection.lineLengthAlwaysTaken else { return nil }
        let lineLengthMax = try await lineLengthMax()
        guard writer.count > lineLengthMax else { return nil }
        return "the handler's answer is longer than a line may be: \(lineLengthMax) bytes"
    }
}

extension Request.Answer.Verdict {
    /// What is said when this cannot be. A proposal was not applied; all else was done before it was to be answered.
    fileprivate func instead(_ objection: String, to kind: HandledKind) -> Request.Answer.Verdict {
        if case .consent = self, kind != .propose { return .failure(outcomeUnknown: objection) }
        return .refusal(objection)
    }

    /// It may have happened, and who asked is told so.
    package static func failure(outcomeUnknown reason: String) -> Request.Answer.Verdict {
        .failure("\(reason). It may have been done: look before you ask again")
    }
}
