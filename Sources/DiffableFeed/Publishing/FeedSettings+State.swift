import Diffable
import DiffableInput
import DiffableJSON

extension FeedSettings {
    /// All that is to be in a list.
    package enum Whole: Sendable {
        case input(Input)
        /// Completed, with nothing expanded and no content of the list's own.
        case snapshot(Snapshot)
    }

    /// The state of the list when what was brought is in it.
    ///
    /// - Parameters:
    ///   - known: the list as it is. What nobody says anything about, such as what somebody expanded, stays.
    ///   - whole: all that is to be in it; nil: what is in it already.
    ///   - items: what is then added and changed.
    package func state(from known: Snapshot, whole: Whole?, items: [Input] = []) throws(FeedError) -> Snapshot {
        do {
            var state = known
            switch whole {
            case .input(let input)?:
                var list = try completed(input)
                if list.content == nil, let look = look ?? (known.content == nil ? source.usualLook : nil) {
                    list.content = .some(look)
                }
                state = try Snapshot(list, expansionFrom: known, limits: .none)
            case .snapshot(let snapshot)?:
                // Operations, so that it goes on sharing with the state before it.
                let expanded = known.expandedIdentifiers.filter { snapshot.contains($0) }
                state = try snapshot.restored(after: known).applying(
                    [.reconfigureList(look ?? known.content ?? source.usualLook), .expandItems(expanded)], limits: .none
                )
            case nil: break
            }
            for input in items { state = try Merge(.whole(try completed(input))).applied(to: state) }
            if whole == nil, let look, state.content != look {
                state = try state.applying([.reconfigureList(look)])
            }
            return state
        } catch let error as FeedError {
            throw error
        } catch let error as TransactionError {
            throw FeedError("\(error.reason)")
        } catch let error as InputError {
            throw FeedError(error)
        } catch {
            throw FeedError("\(error)")
        }
    }

    private func completed(_ input: Input) throws(FeedError) -> WholeList {
        var list =
            switch input {
            case .whole(let list): list
            case .items(let items): WholeList(sections: [Section(id: Arrangement.defaultSection, items: items)])
            }
        guard !constants.isEmpty else { return list }
        for index in list.sections.indices {
            list.sections[index].items = try list.sections[index].items.completed(by: complete)
        }
        return list
    }

    /// The content with the constants that it does not say itself.
    func completed(_ content: Content?, of id: ItemID) throws(FeedError) -> Content? {
        guard !constants.isEmpty else { return content }
        guard let content else { return constantContent }
        let view = JSONView(content)
        guard view.isObject else {
            throw FeedError("the content of \(quoted(id)) is \(view.sort), and `content` adds members to objects only")
        }
        var writer = ByteWriter()
        var bytes = content.bytes
        bytes.removeLast()
        writer.append(bytes)
        var isEmpty = bytes.count == 1
        for constant in constants where view.member(constant.name) == nil {
            if !isEmpty { writer.append(",") }
            isEmpty = false
            writer.appendString(constant.name)
            writer.append(":")
            writer.append(constant.value.bytes)
        }
        writer.append("}")
        return Content(writer.bytes)
    }
}
