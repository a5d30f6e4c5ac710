// The inner pages of the persistent trees. They decide what a change costs, because each change copies a path of them. A
// copy that held each of its 32 children would increment 32 reference counts on each level, and so touch 32 objects that
// the change does not need.
//
// So a copy borrows. It copies the words of its elements without counting them, and holds the page that holds them all:
// its lender. By itself it holds only the elements that were replaced since. A borrowed element stays alive because its
// lender does. Nobody writes to a lender, because a page is written to only while it has one holder, and a borrower is a
// second one. A copy of a borrower borrows from the same lender, so the pages between them are freed at once, while they
// are still in the processor's cache.
//
// A lender keeps the elements that its borrowers have replaced. A borrower that has replaced an eighth of its elements
// holds all of them by itself from then on, and releases its lender. So at most an eighth of what is under a page is kept
// too long, and counting a reference for each element happens once in several copies only.

let pageBits = 5
/// How many elements a page of this kind has room for.
let pageSize = 1 << pageBits

struct LendingPageHeader {
    /// The lender, which keeps the borrowed elements alive. Its reference is counted by hand, because destroying a header with
    /// references is slow.
    fileprivate var lender: Unmanaged<AnyObject>?
    /// A bit for each element that this page holds by itself.
    fileprivate var owned: UInt32 = 0
    /// How many elements there are.
    fileprivate(set) var count: UInt8 = 0
}

/// A page whose elements are references or nil, or begin with a reference and have no other.
///
/// This is a protocol and not a generic class. The deinitializer of a generic class would be generic, and would ask the type
/// how to release each element, which takes longer than all the rest. A conforming class calls `releaseElements` in its
/// `deinit`.
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

    /// Calls the body with each element that a borrower holds by itself.
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
    /// The page to write to. It is made or copied if that is necessary. Only the reference holds it, so it is valid as long as
    /// the reference is.
    static func writable(_ page: UnsafeMutablePointer<AnyObject?>) -> Unmanaged<Self> {
        if !isKnownUniquelyReferenced(&page.pointee) {
            page.pointee = page.pointee.map { unsafeDowncast($0, to: Self.self).copy() } ?? makeEmpty()
        }
        return unmanaged(page)
    }

    /// The address of an element that will be replaced or written to. The page holds the element by itself from now on; the
    /// object is copied if it was borrowed.
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

    /// Replaces an element. The page holds the new one by itself; the old one stays with the lender if it was borrowed.
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

    /// The page holds by itself, from now on, what it borrowed at this position.
    private func own(_ position: Int) {
        let header = parts.header
        header.pointee.owned |= 1 << UInt32(position)
        if header.pointee.owned.nonzeroBitCount > replacedMax(count) { holdAll() }
    }

    /// Releases the lender, and holds all elements by itself.
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

// The compiler accesses references in memory through the metadata of the type around them, or counts one time more than is
// necessary. So the pages count their references by hand.

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

/// All objects are fetched from memory before the first of them is counted: they may be anywhere, counting is atomic, and
/// atomic operations wait for memory one after the other.
private func fetchObjects<Element>(of elements: UnsafeMutablePointer<Element>, count: Int) {
    var types = 1
    for position in 0..<count {
        guard let object = reference(elements + position) else { continue }
        types &= UnsafeRawPointer(object.toOpaque()).load(as: Int.self) | 1
    }
    precondition(types != 0, "an object begins with its type")
}
