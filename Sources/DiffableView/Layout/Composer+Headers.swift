import Diffable

extension Composer.SectionPlan {
    /// Cards have boxes of their own.
    var isOfRows: Bool { kind == .list || kind == .table }
    var hasBox: Bool { geometry.hasBox && isOfRows }
}

extension Composer {
    private func hasRows(_ plan: SectionPlan) -> Bool { rootCount(plan.index) > 0 || plan.look.hasMore }

    /// Whether a section without rows is drawn, so that the user sees it and can add an item to it.
    func isShownEmpty(_ plan: SectionPlan) -> Bool {
        !hasRows(plan) && !viewport.isFiltered && !plan.look.hidesWhenEmpty
            && document.rowCount == snapshot.numberOfItems
            && (plan.look.header != nil || plan.look.canInsert)
    }

    private func isShown(_ plan: SectionPlan) -> Bool { hasRows(plan) || isShownEmpty(plan) && !isEmpty }

    /// With several lists, the title is on the tab.
    private var title: String? {
        viewport.tabs.count > 1 || viewport.showsTitle ? nil : document.listLook.title
    }

    private func hasTitle() -> Bool { title != nil || document.listLook.subtitle != nil }

    func topBlock(_ plan: SectionPlan) -> Block {
        var block = Block(height: 0, page: plan.geometry.page)
        guard isShown(plan) else { return block }
        if hasGap(above: plan) { block.height = 1 }
        addHeader(&block, plan)
        guard hasRows(plan) else { return block }
        addTopOfBox(&block, plan)
        addTitles(&block, plan)
        return block
    }

    /// A blank line separates sections that have no other separation.
    private func hasGap(above plan: SectionPlan) -> Bool {
        guard plan.index > 0 else { return false }
        if plan.geometry.appearance != .plain { return true }
        guard plan.look.header == nil else { return false }
        // Empty sections are invisible.
        let before = (max(plan.index - 8, 0)..<plan.index).lazy.reversed().map { self.plan($0) }.first {
            isShown($0)
        }
        return before.map { $0.look.footer == nil } ?? false
    }

    /// The part that stays at the top of the screen while the section's rows scroll; nil if there is none.
    func pinnedBlock(_ plan: SectionPlan) -> Block? {
        guard plan.look.pinsHeader, plan.look.header != nil || plan.kind == .table else { return nil }
        var block = Block(height: 0, page: plan.geometry.page)
        addHeader(&block, plan)
        if plan.kind == .table { addTitles(&block, plan) }
        return block.height > 0 ? block : nil
    }

    private func addHeader(_ block: inout Block, _ plan: SectionPlan) {
        guard let look = headerLook(plan) else { return }
        let geometry = plan.geometry
        let line = block.height
        let isBar = geometry.appearance == .plain
        let ground: BackgroundRole = isBar ? .header : geometry.page
        if isBar { block.fill(lines: line..<line + 1, columns: geometry.outer, Style(.text, on: ground)) }
        var frame = Frame(
            .header(plan.id),
            Rectangle(column: geometry.row.lowerBound, row: line, width: geometry.row.count, height: 1), look: look)
        frame.isFocusable = !look.actions.isEmpty || plan.look.canInsert && !hasRows(plan)
        var writer = RowWriter(
            block, frame, free: geometry.content, line: line, ground: ground, look: look, symbols: symbols)
        writer.addIcon(reserving: false)
        writer.addSign(reserving: false)
        writer.addTrailingParts(TrailingSlots(), columns: geometry.content.count, isEditing: document.isEditing)
        let text = fitted(look.text, columns: writer.free.count)
        let isQuiet = geometry.appearance == .grouped || geometry.appearance == .insetGrouped
        let ink: ForegroundRole = look.tint.map { .tint($0) } ?? (isQuiet ? .secondary : .text)
        writer.block.add(text, line: line, columns: writer.free, Style(ink, on: ground, .bold))
        if let secondary = look.secondaryText {
            let start = min(writer.free.lowerBound + columnCount(of: text) + 2, writer.free.upperBound)
            let columns = start..<writer.free.upperBound
            writer.block.add(
                fitted(secondary, columns: columns.count), line: line, columns: columns, Style(.secondary, on: ground))
        }
        block = writer.block
        block.height = line + 1
        block.frames.append(writer.frame)
    }

    /// The header with its count. An empty section needs one, so that the cursor can be in it.
    private func headerLook(_ plan: SectionPlan) -> ItemLook? {
        guard var look = plan.look.header else {
            guard !hasRows(plan) else { return nil }
            var look = ItemLook()
            (look.text, look.tint) = ("Nothing here; + adds a row", .secondary)
            return look
        }
        if let count = look.badge?.count {
            if let number = document.count(count, plan.id) { look.badge?.text = "\(number)" } else { look.badge = nil }
        }
        return look
    }

    private func addTopOfBox(_ block: inout Block, _ plan: SectionPlan) {
        let geometry = plan.geometry
        let line = block.height
        if plan.hasBox {
            let across = String(repeating: symbols.frame.across, count: geometry.outer.count - 2)
            block.add(
                "\(symbols.frame.topLeft)\(across)\(symbols.frame.topRight)", line: line, columns: geometry.outer,
                Style(.line, on: geometry.ground))
            block.height += 1
        }
    }

    func bottomBlock(_ plan: SectionPlan) -> Block {
        let geometry = plan.geometry
        var block = Block(height: 0, page: geometry.page)
        // The section continues with rows that are not loaded.
        if isCutAtEnd(plan.index) || !isShown(plan) { return block }
        if hasRows(plan), plan.hasBox {
            let across = String(repeating: symbols.frame.across, count: geometry.outer.count - 2)
            block.add(
                "\(symbols.frame.bottomLeft)\(across)\(symbols.frame.bottomRight)", line: 0, columns: geometry.outer,
                Style(.line, on: geometry.ground))
            block.height = 1
        }
        guard let footer = plan.look.footer else { return block }
        let start = block.height
        var texts = wrapped(footer.text, columns: geometry.content.count, lines: 6)
        if let secondary = footer.secondaryText { texts.append(fitted(secondary, columns: geometry.content.count)) }
        for text in texts {
            block.add(
                text, line: block.height, columns: geometry.content,
                Style(footer.tint.map { .tint($0) } ?? .secondary, on: geometry.page))
            block.height += 1
        }
        var frame = Frame(
            .footer(plan.id),
            Rectangle(
                column: geometry.row.lowerBound, row: start, width: geometry.row.count, height: block.height - start),
            look: footer)
        frame.isFocusable = false
        block.frames.append(frame)
        // Without other separation, a footer would touch the next header.
        if geometry.appearance == .plain, plan.index + 1 < sectionCount { block.height += 1 }
        return block
    }
}

// MARK: - The list

extension Composer {
    var firstGeometry: SectionGeometry {
        sectionCount > 0 ? plan(0).geometry : SectionGeometry(.plain, columns: columns)
    }

    func titleBlock() -> Block {
        let geometry = firstGeometry
        var block = Block(height: 0, page: geometry.page)
        guard hasTitle() else { return block }
        let width = geometry.content.count
        if let title {
            block.add(
                fitted(title, columns: width), line: 0, columns: geometry.content,
                Style(.text, on: geometry.page, .bold))
            block.height += 1
        }
        if let subtitle = document.listLook.subtitle {
            for text in wrapped(subtitle, columns: width, lines: 3) {
                block.add(text, line: block.height, columns: geometry.content, Style(.secondary, on: geometry.page))
                block.height += 1
            }
        }
        var frame = Frame(
            .title,
            Rectangle(column: geometry.row.lowerBound, row: 0, width: geometry.row.count, height: block.height))
        frame.isFocusable = false
        block.frames.append(frame)
        block.height += 1
        return block
    }

    /// Centred horizontally, and a third from the top.
    func emptyBlock() -> Block {
        let geometry = firstGeometry
        if viewport.isLoading { return Block(height: 0, page: geometry.page) }
        var look = viewport.isFiltered ? ItemLook() : document.listLook.empty ?? ItemLook()
        if look.text.isEmpty { look.text = viewport.isFiltered ? "Nothing matches" : "Nothing here" }
        var block = Block(height: max(min(viewport.rows / 3, 8) - 2, 1), page: geometry.page)
        func add(_ text: String, _ style: Style) {
            for text in wrapped(text, columns: geometry.content.count, lines: 4) {
                let start = geometry.content.lowerBound + (geometry.content.count - columnCount(of: text)) / 2
                block.add(text, line: block.height, columns: start..<geometry.content.upperBound, style)
                block.height += 1
            }
        }
        let start = block.height
        if let icon = look.icon?.cluster(symbols) {
            var text = ""
            icon.append(to: &text)
            add(text, Style(look.tint.map { .tint($0) } ?? .secondary, on: geometry.page))
        }
        add(look.text, Style(.text, on: geometry.page, .bold))
        if let secondary = look.secondaryText { add(secondary, Style(.secondary, on: geometry.page)) }
        block.frames.append(
            Frame(
                .empty,
                Rectangle(
                    column: geometry.row.lowerBound, row: start, width: geometry.row.count, height: block.height - start
                ),
                look: look))
        return block
    }
}
