import Diffable
import DiffableInput
import Synchronization

/// Turns the outputs of a repeated command into states. Unchanged parts of an output cost little.
final class CommandStates: Sendable {
    private struct State {
        var rows: RowStates
        var last: (output: [UInt8], state: FeedState)?
    }

    private let mapping: RowMapping
    private let state: Mutex<State>

    /// The limit in bytes. A longer output is not kept for comparison.
    private static let keptLengthMax = 1 << 20

    init(_ mapping: RowMapping, complete: @escaping RowStates.CompleteContent) {
        self.mapping = mapping
        state = Mutex(State(rows: RowStates(mapping, complete: complete)))
    }

    func state(of output: [UInt8], named name: String) throws(FeedError) -> FeedState {
        let result: Result<FeedState, FeedError> = state.withLock { state in
            if let last = state.last, last.output == output { return .success(last.state) }
            return Result { () throws(FeedError) in
                let new = try self.state(of: output, named: name, &state.rows)
                state.last = output.count <= Self.keptLengthMax ? (output, new) : nil
                return new
            }
        }
        return try result.get()
    }

    private func state(
        of output: [UInt8], named name: String, _ states: inout RowStates
    ) throws(FeedError) -> FeedState {
        let (input, place): (InputRows, String)
        do { (input, place) = try mapping.rows(output, named: name) } catch { throw FeedError(error) }
        switch input {
        case .list(let list):
            guard mapping.fields == .none else { throw FeedError(InputReader.fieldsRefused, at: place) }
            return .whole(.whole(list))
        case .rows(let rows, let columns):
            if let images = RawRows(rows, columns: columns, place: place) {
                return .snapshot(try states.state(of: images))
            }
            do {
                let builder = try ItemBuilder(
                    of: rows, columns: columns, fields: mapping.fields, orphans: mapping.orphans)
                return .whole(.whole(WholeList(sections: try builder.sections())))
            } catch {
                throw FeedError(error, at: place)
            }
        }
    }
}
