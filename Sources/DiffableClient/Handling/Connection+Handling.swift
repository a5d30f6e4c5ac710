import Diffable
import DiffableJSON
import DiffableProtocol

extension Connection {
    /// Registers this connection as a list's handler, and returns its number. `receiver` gets each request, each cancellation,
    /// and the end.
    func begin(
        _ handler: Request.Handle, _ receiver: @escaping MessageRouter.Receiver
    ) async throws(ClientError) -> Int {
        let result = try await exchange(.handler(receiver)) { id, writer throws(ClientError) in
            Request.handle(handler).write(id: id, into: &writer)
            return .done
        }
        return try decoded { () throws(DecodingError) in try Reply.Handle(json: result).handler }
    }

    /// Ends a handler without waiting for the reply, so also where waiting is impossible.
    func endSoon(handler: Int) {
        withRouter { $0.forget(handler: handler) }
        writeSoon(.unhandle(.init(handler: handler)), id: .absent)
    }

    /// Responds to a request. It is not an error if the response is no longer needed. Returns the reason if the response was
    /// not accepted and the caller got the reason instead; nil otherwise.
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
        } catch .refused(let refusal) where refusal.code == .noSuchRequest {
            return nil
        } catch .refused(let refusal) {
            // The response is invalid: it is too long, or is not a possible change of that list. The caller gets the reason.
            objection = refusal.message
        }
        let instead = verdict.replacement(after: objection, to: request.content.kind)
        _ = try? await reply(to: .answer(Request.Answer(request.request, instead)))
        return objection
    }

    private func objection(toLengthOf answer: Request.Answer) async throws(ClientError) -> String? {
        var writer = ByteWriter()
        Request.answer(answer).write(id: .number(.max), into: &writer)
        guard writer.count > Connection.lineLengthAlwaysTaken else { return nil }
        let lineLengthMax = try await lineLengthMax()
        guard writer.count > lineLengthMax else { return nil }
        return
            "the handler's answer is longer than \(lineLengthMax) bytes (lineLengthMax): the handler has to send less"
    }
}

extension Request.Answer.Verdict {
    /// The response instead of one that was not accepted. A proposal was not applied; any other request was carried out before
    /// its response.
    fileprivate func replacement(after objection: String, to kind: HandlerRequestKind) -> Request.Answer.Verdict {
        if case .consent = self, kind != .propose { return .failure(outcomeUnknown: objection) }
        return .refusal(objection)
    }

    package static func failure(outcomeUnknown reason: String) -> Request.Answer.Verdict {
        .failure("\(reason). The request may have been carried out. Check before you retry")
    }
}
