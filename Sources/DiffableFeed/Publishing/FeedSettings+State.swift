import Diffable
import DiffableInput
import DiffableJSON

extension FeedSettings {
    package enum Whole: Sendable {
        case input(Input)
        /// With the feed's constants, no expanded items, and no content of the list itself.
        case snapshot(Snapshot)
    }

    /// The list's new state, after the source's input is applied.
    ///
    /// - Parameters:
    ///   - known: the current state. Everything that the input does not mention stays, such as expanded items.
    ///   - whole: the complete new state; nil to keep the current items.
    ///   - changes: applied after that.
    package func state(
        from known: Snapshot, whole: Whole?, changes: [StreamedChange] = []
    ) throws(FeedError) -> Snapshot {
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
                // Operations, so that the new state shares memory with the one before it.
                let expanded = known.expandedIdentifiers.filter { snapshot.contains($0) }
                state = try snapshot.restored(after: known).applying(
                    [.reconfigureList(look ?? known.content ?? source.usualLook), .expandItems(expanded)], limits: .none
                )
            case nil: break
            }
            for change in changes {
                switch change {
                case .merge(let input): state = try Merge(.whole(try completed(input))).applied(to: state)
                case .removal(let item): if state.contains(item) { state = try state.applying([.deleteItems([item])]) }
                }
            }
            if onlyAdds { state = try limited(state) }
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

    /// The newest items of each section, as many as `keep` says. Without `keep`, too many items are an error.
    private func limited(_ state: Snapshot) throws -> Snapshot {
        guard case .command(let command) = source, let keep = command.keep else {
            guard state.numberOfItems <= FeedLimits.streamItemsMax else {
                throw FeedError(
                    "the stream has more than \(grouped(FeedLimits.streamItemsMax)) items, and newer ones are dropped; use keep: 200 to "
                        + "keep only the newest, or remove: FIELD for lines that delete an item")
            }
            return state
        }
        let oldest = state.sectionIdentifiers.flatMap { section in
            (state.rootItems(inSection: section) ?? []).dropLast(keep)
        }
        return oldest.isEmpty ? state : try state.applying([.deleteItems(oldest)])
    }

    private func completed(_ input: Input) throws(FeedError) -> WholeList {
        var list =
            switch input {
            case .whole(let list): list
            case .items(let items): WholeList(sections: [Section(id: ItemBuilder.defaultSection, items: items)])
            }
        guard !constants.isEmpty else { return list }
        for index in list.sections.indices {
            list.sections[index].items = try list.sections[index].items.completed(by: complete)
        }
        return list
    }

    func completed(_ content: Content?, of id: ItemID) throws(FeedError) -> Content? {
        guard !constants.isEmpty else { return content }
        guard let content else { return constantContent }
        let view = JSONReader(content)
        guard view.isObject else {
            throw FeedError(
                "the content of the item \(quoted(id)) is \(view.typeDescription), and the feed's key `content` can add members only to an "
                    + "object: remove `content`, or make each row an object")
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
