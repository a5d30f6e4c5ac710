// The inner pages of the persistent trees. They decide what a change costs: each change copies a path of them, and
// a copy that held on to each of its 32 children would count up 32 references, and touch 32 places of memory that
// nobody asked for, on every level.
//
// So a copy borrows. It takes over the words of its elements as they are, holds a page that holds all of them (its
// lender), and holds by itself only those elements that have been replaced since. What is borrowed stays alive because
// the lender does, and no one writes to a lender: a page is written to only while it has one holder, and a borrower is
// one holder too many. A copy of a borrower borrows from the same lender, and so the pages between are let go at once,
// while they are still in the processor's cache.
//
// A lender keeps what its borrowers have replaced. Once a borrower has replaced an eighth of the elements, it holds all
// of them by itself again and needs no lender; so what is kept beyond its time is at most an eighth of what stands under
// a page, and the change of a reference count per element is paid for once in several copies.

let pageBits = 5
/// How many elements a page of this kind has room for.
let pageSize = 1 << pageBits

struct LendingPageHeader {
    /// Keeps the elements alive that this page does not hold by itself. Counted by hand: a header with references is
    /// slow to take down.
    fileprivate var lender: Unmanaged<AnyObject>?
    /// A bit for each element that this page holds by itself.
    fileprivate var owned: UInt32 = 0
    /// How many elements there are.
    fileprivate(set) var count: UInt8 = 0
}

/// A page of which each element is a reference, or nil, or begins with one and has no other.
///
/// A protocol, because the end of an object of a generic class would be generic: it would ask the type how to release
/// each element, and take longer than all the rest. What conforms calls `releaseElements` in its `deinit`.
protocol LendingPage: AnyObject {
    associatedtype Element

    /// An empty page with room for `pageSize` elements.
    static func makeEmpty() -> Self
    /// Valid as long as somebody holds this page.
    var parts: (header: UnsafeMutablePointer<LendingPageHeader>, elements: UnsafeMutablePointer<Element>) { get }
}

extension LendingPage {
    /// A page with the same elements that nobody else holds yet.
    func copy() -> Self {
        let page = Self.makeEmpty()
        let (header, elements) = parts
        let (itsHeader, itsElements) = page.parts
        let count = Int(header.pointee.count)
        itsHeader.pointee.count = header.pointee.count
        UnsafeMutableRawPointer(itsElements).copyMemory(from: elements, byteCount: count * MemoryLayout<Element>.stride)
        if let lender = header.pointee.lender {
            itsHeader.pointee.lender = lender.retain()
            itsHeader.pointee.owned = header.pointee.owned
            page.forEachOwned { _ = reference($0)?.retain() }
        } else if replacedMax(count) > 0 {
            itsHeader.pointee.lender = Unmanaged.passRetained(self)
        } else {
            retainReferences(itsElements, count: count)
            itsHeader.pointee.owned = all(count)
        }
        return page
    }

    /// To be called once, at the end.
    func releaseElements() {
        let (header, elements) = parts
        if let lender = header.pointee.lender {
            forEachOwned { reference($0)?.release() }
            lender.release()
        } else {
            releaseReferences(elements, count: count)
        }
    }

    /// Lends each element that a borrower holds by itself.
    private func forEachOwned(_ body: (UnsafeMutablePointer<Element>) -> Void) {
        let (header, elements) = parts
        var owned = header.pointee.owned
        while owned != 0 {
            body(elements + owned.trailingZeroBitCount)
            owned &= owned - 1
        }
    }

    /// Valid as long as somebody holds this page.
    var elements: UnsafeMutablePointer<Element> { parts.elements }

    var count: Int { Int(parts.header.pointee.count) }
}

/// How many elements a borrower holds by itself at most.
@inline(__always) private func replacedMax(_ count: Int) -> Int { count / 8 }

/// A bit for each element.
@inline(__always) private func all(_ count: Int) -> UInt32 { UInt32.max >> (32 - UInt32(count)) }

// MARK: - Writing, by the only holder

extension LendingPage {
    /// The page, made or copied where that is needed to write to it. It is held by the reference alone, and valid as
    /// long as that is.
    static func writable(_ page: UnsafeMutablePointer<AnyObject?>) -> Unmanaged<Self> {
        if !isKnownUniquelyReferenced(&page.pointee) {
            page.pointee = page.pointee.map { unsafeDowncast($0, to: Self.self).copy() } ?? makeEmpty()
        }
        return unmanaged(page)
    }

    /// Where an element is that will be replaced or written to. From now on the page holds it by itself; what is
    /// referred to is copied if it is borrowed.
    func writable(
        at position: Int, copying copy: (Unmanaged<AnyObject>) -> AnyObject
    ) -> UnsafeMutablePointer<Element> {
        let elements = elements
        if !isOwned(position) {
            if let borrowed = reference(elements + position) {
                // Written over without being released: the lender holds it.
                let copied = Unmanaged.passRetained(copy(borrowed))
                UnsafeMutableRawPointer(elements + position).storeBytes(of: copied, as: Unmanaged<AnyObject>.self)
            }
            own(position)
        }
        return elements + position
    }

    /// From now on the page holds this one by itself; what stood there stays with the lender, if it was borrowed.
    func replace(at position: Int, by element: Element) {
        if isOwned(position) {
            elements[position] = element
        } else {
            // Written over without being released: the lender holds it.
            (elements + position).initialize(to: element)
            own(position)
        }
    }

    private func isOwned(_ position: Int) -> Bool { parts.header.pointee.owned >> UInt32(position) & 1 == 1 }

    /// From now on the page holds by itself what it borrowed there.
    private func own(_ position: Int) {
        let header = parts.header
        header.pointee.owned |= 1 << UInt32(position)
        if header.pointee.owned.nonzeroBitCount > replacedMax(count) { holdAll() }
    }

    /// Needs no lender any more.
    func holdAll() {
        let (header, elements) = parts
        guard let lender = header.pointee.lender else { return }
        var borrowed = all(count) & ~header.pointee.owned
        while borrowed != 0 {
            _ = reference(elements + borrowed.trailingZeroBitCount)?.retain()
            borrowed &= borrowed - 1
        }
        header.pointee.owned = all(count)
        header.pointee.lender = nil
        lender.release()
    }

    func insert(_ element: Element, at position: Int) {
        holdAll()
        let elements = elements
        (elements + position + 1).moveInitialize(from: elements + position, count: count - position)
        (elements + position).initialize(to: element)
        setCount(count + 1)
    }

    func remove(at position: Int) -> Element {
        holdAll()
        let elements = elements
        let element = (elements + position).move()
        (elements + position).moveInitialize(from: elements + position + 1, count: count - position - 1)
        setCount(count - 1)
        return element
    }

    func append(_ element: Element) { insert(element, at: count) }

    /// Makes an empty page full.
    func fill(with element: Element) {
        elements.initialize(repeating: element, count: pageSize)
        setCount(pageSize)
    }

    /// Moves the elements from a position on to the end of another page.
    func moveElements(from position: Int, to page: Self) {
        holdAll()
        page.holdAll()
        let moved = count - position
        (page.elements + page.count).moveInitialize(from: elements + position, count: moved)
        page.setCount(page.count + moved)
        setCount(position)
    }

    private func setCount(_ count: Int) {
        let header = parts.header
        header.pointee.count = UInt8(count)
        header.pointee.owned = all(count)
    }
}

// MARK: - References as words

// What the compiler does with references in memory it does through the type of what is around them, or with one count
// more than is needed. The pages count theirs by hand.

/// The reference at the beginning of an element.
func reference<Element>(_ element: UnsafeMutablePointer<Element>) -> Unmanaged<AnyObject>? {
    UnsafeRawPointer(element).load(as: Unmanaged<AnyObject>?.self)
}

/// What a reference that is not nil refers to.
func unmanaged<Object>(_ reference: UnsafeMutablePointer<AnyObject?>) -> Unmanaged<Object> {
    UnsafeRawPointer(reference).load(as: Unmanaged<Object>.self)
}

func retainReferences<Element>(_ elements: UnsafeMutablePointer<Element>, count: Int) {
    fetchObjects(of: elements, count: count)
    for position in 0..<count { _ = reference(elements + position)?.retain() }
}

func releaseReferences<Element>(_ elements: UnsafeMutablePointer<Element>, count: Int) {
    fetchObjects(of: elements, count: count)
    for position in 0..<count { reference(elements + position)?.release() }
}

/// Counting is atomic, and an atomic change waits for its memory alone; so the objects, which may be anywhere, are all
/// fetched before the first of them is counted.
private func fetchObjects<Element>(of elements: UnsafeMutablePointer<Element>, count: Int) {
    var types = 1
    for position in 0..<count {
        guard let object = reference(elements + position) else { continue }
        types &= UnsafeRawPointer(object.toOpaque()).load(as: Int.self) | 1
    }
    precondition(types != 0, "an object begins with its type")
}
