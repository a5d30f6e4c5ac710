import Diffable
import DiffableClient

extension StatusBoard {
    package typealias Perform = @Sendable (FeedAction, [ListName]) async throws -> Void

    /// The pauses between attempts to become the handler, while another diffable-feed is.
    private static let pauseMin = Duration.seconds(1)
    private static let pauseMax = Duration.seconds(60)

    /// Handles the actions of the items until the task is cancelled. If several processes show their feeds in one list, one of
    /// them is its handler, and only its items have actions.
    func handleActions(_ perform: @escaping Perform) async {
        var handler = ListHandler()
        for action in FeedAction.allCases {
            handler.perform(action.name) { request in
                let feeds = request.items.compactMap { try? ListName("\($0)") }
                guard !feeds.isEmpty else {
                    throw RequestRefusal("no feeds are named; name the feeds to \(action.rawValue)")
                }
                try await perform(action, feeds)
            }
        }
        var failures = 0
        var pause: ContinuousClock.Instant?
        while !Task.isCancelled {
            await listIsThere.wait(until: pause)
            pause = nil
            do {
                let (connection, list) = (try await link.connected().connection, list)
                guard let epoch = try await connection.list(list, alternative: Self.alternative)?.epoch else {
                    continue
                }
                _ = try await connection.handle(list, with: handler) { () async throws(ClientError) -> Bool in
                    // Another user's list may have taken the name before the handler was registered.
                    let isSame = try await connection.lists().contains { $0.list == list && $0.epoch == epoch }
                    if isSame {
                        failures = 0
                        setHandling(true)
                    }
                    return isSame
                }
                setHandling(false)
            } catch is CancellationError {
                return
            } catch ClientError.refused {
                setHandling(false)
                failures += 1
                pause = .now + Backoff.doubled(Self.pauseMin, times: failures - 1, upTo: Self.pauseMax)
            } catch {
                // The list of another user, which `send` reports, or a lost connection.
            }
        }
    }
}
