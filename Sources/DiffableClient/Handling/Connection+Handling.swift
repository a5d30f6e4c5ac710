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
    func answer(_ request: Int, _ verdict: Request.Answer.Verdict) async throws(ClientError) {
        do throws(ClientError) {
            _ = try await reply(to: .answer(try await fitting(Request.Answer(request, verdict))))
        } catch .refused(let refusal) where refusal.code == WireError.Code.noSuchRequest.rawValue {
            return
        } catch .refused(let refusal) {
            // What was said cannot be an answer: it is too long, or no change of that list. Whoever asked hears why.
            _ = try? await reply(to: .answer(Request.Answer(request, .refusal(refusal.message))))
        }
    }

    /// The answer, or a refusal that says that it is too long for a line.
    private func fitting(_ answer: Request.Answer) async throws(ClientError) -> Request.Answer {
        var writer = ByteWriter()
        Request.answer(answer).write(id: .number(.max), into: &writer)
        guard writer.count > Connection.lineLengthAlwaysTaken else { return answer }
        let lineLengthMax = try await lineLengthMax()
        guard writer.count > lineLengthMax else { return answer }
        return Request.Answer(
            answer.request, .refusal("the handler's answer is longer than a line may be: \(lineLengthMax) bytes"))
    }
}
