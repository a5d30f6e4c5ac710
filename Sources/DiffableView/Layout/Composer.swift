import Diffable
import Synchronization

struct Composer: Sendable {
    let document: Document
    let viewport: Viewport
    private let plans = PlanCache()

    init(document: Document, viewport: Viewport) {
        self.document = document
        self.viewport = viewport
    }

    private final class PlanCache: Sendable {
        let known = Mutex<[Int: SectionPlan]>([:])
        let isEmpty = Mutex<Bool?>(nil)
    }

    /// Whether only the list's `empty` is drawn, because there are no rows and no headers of empty sections.
    var isEmpty: Bool {
        guard document.rowCount == 0 else { return false }
        if let known = plans.isEmpty.withLock({ $0 }) { return known }
        let isEmpty = !(0..<sectionCount).contains { isShownEmpty(plan($0)) && plan($0).look.header != nil }
        plans.isEmpty.withLock { $0 = isEmpty }
        return isEmpty
    }

    var symbols: Symbols { viewport.symbols }
    var snapshot: Snapshot { document.snapshot }
    var columns: Int { viewport.columns }

    struct SectionPlan: Sendable {
        let index: Int
        let id: SectionID
        let resolved: LookCache.ResolvedSection
        let geometry: SectionGeometry
        let groupCount: Int
        var traits = SectionTraits()

        var look: SectionLook { resolved.look }
        var kind: SectionLayout.Kind { resolved.look.layout.kind }
    }

    var sectionCount: Int { snapshot.numberOfSections }

    func plan(_ index: Int) -> SectionPlan {
        if let known = plans.known.withLock({ $0[index] }) { return known }
        let plan = makePlan(index)
        plans.known.withLock { $0[index] = plan }
        return plan
    }

    private func makePlan(_ index: Int) -> SectionPlan {
        guard let id = snapshot.sectionIdentifier(at: index), let section = snapshot.sectionAlone(id) else {
            preconditionFailure("section \(index) of \(sectionCount) has no plan")
        }
        let resolved = document.cache.section(section, document.looks, viewport.clock)
        let geometry = SectionGeometry(resolved.look.appearance, columns: columns)
        var plan = SectionPlan(
            index: index, id: id, resolved: resolved, geometry: geometry,
            groupCount: geometry.groupCount(resolved.look.layout))
        plan.traits = traits(plan)
        return plan
    }

    func resolved(_ id: ItemID, _ plan: SectionPlan) -> LookCache.ResolvedItem? {
        snapshot.itemAlone(id).map { document.cache.item($0, in: plan.resolved, viewport.clock) }
    }

    /// If the rows before are not loaded, the first loaded items may be in the middle of their section.
    func isCut(_ section: Int) -> Bool { section == 0 && document.placeholdersBefore > 0 }

    func block(_ element: Element) -> Block {
        var block = blockOfRows(element)
        if viewport.field != nil { addField(&block, element) }
        return block
    }

    private func blockOfRows(_ element: Element) -> Block {
        switch element {
        case .title: titleBlock()
        case .placeholder(let index): placeholderBlock(index)
        case .top(let section): isCut(section) ? Block(height: 0, page: .base) : topBlock(plan(section))
        case .items(let path):
            itemsBlock(path, plan(path[0]))
        case .more(let section): moreBlock(plan(section))
        case .bottom(let section): bottomBlock(plan(section))
        case .empty: emptyBlock()
        }
    }

    private func itemsBlock(_ path: [Int], _ plan: SectionPlan) -> Block {
        switch plan.kind {
        case .list: rowBlock(path, plan)
        case .table: tableRowBlock(path, plan)
        case .grid: gridBlock(path, plan)
        case .carousel: carouselBlock(path, plan)
        }
    }
}
