import Diffable
import DiffableInput
import DiffableJSON

extension FeedSettings {
    /// The state of the list when what was brought is in it.
    ///
    /// - Parameters:
    ///   - known: the list as it is. What nobody says anything about, such as what somebody expanded, stays.
    ///   - whole: all that is to be in it; nil: what is in it already.
    ///   - items: what is then added and changed.
    package func state(from known: Snapshot, whole: Input?, items: [Input] = []) throws(FeedError) -> Snapshot {
        do {
            var state = known
            if let whole {
                var list = try completed(whole)
                if list.content == nil, let look = look ?? (known.content == nil ? source.usualLook : nil) {
                    list.content = .some(look)
                }
                state = try Snapshot(list, expansionFrom: known, limits: .none)
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
            list.sections[index].items = try completed(list.sections[index].items)
        }
        return list
    }

    private func completed(_ items: [Item]) throws(FeedError) -> [Item] {
        var completed: [Item] = []
        completed.reserveCapacity(items.count)
        for item in items {
            completed.append(
                Item(
                    id: item.id, kind: item.kind, content: try content(of: item), isExpanded: item.isExpanded,
                    children: try self.completed(item.children)))
        }
        return completed
    }

    /// The content with the constants that it does not say itself.
    private func content(of item: Item) throws(FeedError) -> Content {
        guard let content = item.content else { return .object(constants.map { ($0.name, $0.value) }) }
        let view = JSONView(content)
        guard view.isObject else {
            throw FeedError(
                "the content of \(quoted(item.id)) is \(view.sort), and `content` adds members to objects only")
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
