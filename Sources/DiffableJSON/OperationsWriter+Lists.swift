import Diffable

extension OperationsWriter {
    /// An operation that names ids, with or without new values; it can be split between any two.
    struct ListRun: Sendable {
        private let operation: ListOperation
        private let count: Int
        private var next = 0

        init(_ operation: ListOperation) {
            self.operation = operation
            self.count =
                switch operation {
                case .deleteSections(let ids, _): ids.count
                case .reloadSections(let sections): sections.count
                case .deleteItems(let ids, _): ids.count
                case .reconfigureItems(let items): items.count
                case .patchItems(let items): items.count
                case .reloadItems(let items): items.count
                case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                    ids.count
                default: preconditionFailure("this operation is not a list of ids")
                }
        }

        mutating func write(into part: inout Part) -> Progress {
            // An operation without ids has no effect.
            guard count > 0 else { return .done }
            var isOpen = false
            let closing: StaticString = passesOverUnknown ? #"],"ifPresent":true}"# : "]}"
            while next < count {
                let start = part.writer.count
                if isOpen { part.writer.append(byte: UInt8(ascii: ",")) } else { open(&part) }
                appendElement(next, &part)
                if part.writer.count + closing.utf8CodeUnitCount > part.limit, !part.isEmpty {
                    part.writer.truncate(to: start)
                    if isOpen { part.writer.append(closing) }
                    return .more
                }
                part.isEmpty = false
                isOpen = true
                next += 1
            }
            part.writer.append(closing)
            return .done
        }

        private func open(_ part: inout Part) {
            switch operation {
            case .deleteSections: part.begin("deleteSections")
            case .reloadSections: part.begin("reloadSections")
            case .deleteItems: part.begin("deleteItems")
            case .reconfigureItems: part.begin("reconfigureItems")
            case .patchItems: part.begin("patchItems")
            case .reloadItems: part.begin("reloadItems")
            case .expandItems: part.begin("expandItems")
            case .collapseItems: part.begin("collapseItems")
            case .foldItems: part.begin("foldItems")
            case .unfoldItems: part.begin("unfoldItems")
            default: preconditionFailure("this operation is not a list of ids")
            }
            switch operation {
            case .deleteSections, .reloadSections: part.appendMember("sections")
            default: part.appendMember("items")
            }
            part.writer.append(byte: UInt8(ascii: "["))
        }

        private var passesOverUnknown: Bool {
            switch operation {
            case .deleteSections(_, .isPassedOver), .deleteItems(_, .isPassedOver): true
            default: false
            }
        }

        private func appendElement(_ index: Int, _ part: inout Part) {
            switch operation {
            case .deleteSections(let ids, _): part.writer.appendString(ids[index])
            case .deleteItems(let ids, _): part.writer.appendString(ids[index])
            case .expandItems(let ids), .collapseItems(let ids), .foldItems(let ids), .unfoldItems(let ids):
                part.writer.appendString(ids[index])
            case .reloadSections(let sections):
                part.writer.appendChange(sections[index].id.record, content: sections[index].content)
            case .reconfigureItems(let items):
                part.writer.appendChange(items[index].id.record, content: items[index].content)
            case .reloadItems(let items): part.writer.appendReload(items[index])
            case .patchItems(let items):
                guard let document = items[index].document else {
                    preconditionFailure("a patch that was made in Swift has no JSON form; write reconfigureItems")
                }
                part.writer.appendChange(items[index].id.record, content: .some(document))
            default: preconditionFailure("this operation is not a list of ids")
            }
        }
    }
}

extension OperationsWriter.Part {
    mutating func write(_ operation: ListOperation) -> Progress {
        fit { part in
            switch operation {
            case .reconfigureList(let content):
                part.begin("reconfigureList")
                part.appendMember("content")
                part.writer.append(content)
            case .patchList(let patch):
                guard let document = patch.document else {
                    preconditionFailure("a patch that was made in Swift has no JSON form; write reconfigureList")
                }
                part.begin("patchList")
                part.appendMember("content")
                part.writer.append(document)
            case .deleteAllItems: part.begin("deleteAllItems")
            case .moveSection(let section, let position):
                part.begin("moveSection")
                part.appendMember("section", identifier: section.record)
                part.append(position)
            case .moveItem(let item, let position):
                part.begin("moveItem")
                part.appendMember("item", identifier: item.record)
                part.append(position)
            case .replaceChildren(let parent, let items):
                part.begin("replaceChildren")
                part.appendMember("parent", identifier: parent.record)
                part.appendMember("items")
                // Existing items keep their expansion unless the operation sets it.
                part.writer.appendItems(items, expansion: .asSaid)
            default: preconditionFailure("this operation is split")
            }
            part.writer.append(byte: UInt8(ascii: "}"))
        }
    }

    /// Keeps the output of `body` if there is room for it, or if the part would be empty without it.
    mutating func fit(_ body: (inout OperationsWriter.Part) -> Void) -> Progress {
        let start = writer.count
        body(&self)
        if writer.count > limit, !isEmpty {
            writer.truncate(to: start)
            return .more
        }
        isEmpty = false
        return .done
    }

    private mutating func append(_ position: SectionPosition) {
        switch position {
        case .front: appendMember("after", identifier: nil)
        case .before(let anchor): appendMember("before", identifier: anchor.record)
        case .after(let anchor): appendMember("after", identifier: anchor.record)
        }
    }

    private mutating func append(_ position: ItemPosition) {
        switch position {
        case .before(let anchor, let container):
            if let container { appendContainer(container) }
            appendMember("before", identifier: anchor.record)
        case .after(let anchor, let container):
            if let container { appendContainer(container) }
            appendMember("after", identifier: anchor.record)
        case .front(let container):
            appendContainer(container)
            appendMember("after", identifier: nil)
        case .end(let container): appendContainer(container)
        }
    }
}
