// The inner pages of the persistent trees. They decide the cost of a change, because each change copies a path of them.
// A copy that retained each of its 32 children would increment 32 reference counts on each level, and touch 32 objects
// that the change does not need.
//
// So a copy borrows. It copies the words of its elements without retaining them, and retains the page that retains them all: its
// lender. By itself it retains only the elements that were replaced since. The lender keeps borrowed elements alive. A lender is
// never written to, because a page may be written only with a sole reference, and a borrower holds another one. A copy of a
// borrower borrows from the same lender, so the intermediate pages are freed at once, while they are still in the CPU cache.
//
// A lender keeps the elements that its borrowers have replaced. A borrower that has replaced 1/8 of its elements
// retains all of them and releases its lender. So at most 1/8 of the elements under a page are kept too long, and only
// one of several copies has to retain each element.

let pageBits = 5
let pageSize = 1 << pageBits

struct LendingPageHeader {
    /// The lender of the borrowed elements. Retained manually, because destroying a header with references is slow.
    fileprivate var lender: Unmanaged<AnyObject>?
    /// A bit for each element that this page retains itself.
    fileprivate var owned: UInt32 = 0
    fileprivate(set) var count: UInt8 = 0
}

/// A page whose elements are references or nil, or begin with their only reference.
///
/// This is a protocol and not a generic class, because the deinitializer of a generic class would be generic and look up how to
/// release each element, which takes longer than everything else. A conforming class calls `releaseElements` in its `deinit`.
protocol LendingPage: AnyObject {
    associatedtype Element

    /// An empty page with room for `pageSize` elements.
    static func makeEmpty() -> Self
    /// Valid while this page is retained.
    var parts: (header: UnsafeMutablePointer<LendingPageHeader>, elements: UnsafeMutablePointer<Element>) { get }
}

extension LendingPage {
    /// A page with the same elements and a sole reference.
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

    /// Releases all elements. Called once, in `deinit`.
    func releaseElements() {
        let (header, elements) = parts
        if let lender = header.pointee.lender {
            forEachOwned { reference($0)?.release() }
            lender.release()
        } else {
            releaseReferences(elements, count: count)
        }
    }

    /// Calls the body with each element that a borrower retains itself.
    private func forEachOwned(_ body: (UnsafeMutablePointer<Element>) -> Void) {
        let (header, elements) = parts
        var owned = header.pointee.owned
        while owned != 0 {
            body(elements + owned.trailingZeroBitCount)
            owned &= owned - 1
        }
    }

    /// Valid while this page is retained.
    var elements: UnsafeMutablePointer<Element> { parts.elements }

    var count: Int { Int(parts.header.pointee.count) }
}

/// The maximum number of elements that a borrower retains itself.
@inline(__always) private func replacedMax(_ count: Int) -> Int { count / 8 }

/// A bit for each element.
@inline(__always) private func all(_ count: Int) -> UInt32 { UInt32.max >> (32 - UInt32(count)) }

// MARK: - Writing, by the only holder

extension LendingPage {
    /// The page for writing, created or copied if necessary. Valid while the reference exists, because only it retains the page.
    static func writable(_ page: UnsafeMutablePointer<AnyObject?>) -> Unmanaged<Self> {
        if !isKnownUniquelyReferenced(&page.pointee) {
            page.pointee = page.pointee.map { unsafeDowncast($0, to: Self.self).copy() } ?? makeEmpty()
        }
        return unmanaged(page)
    }

    /// The address of an element for replacing or writing. The page retains it from now on. A borrowed object is copied.
    func writable(
        at position: Int, copying copy: (Unmanaged<AnyObject>) -> AnyObject
    ) -> UnsafeMutablePointer<Element> {
        let elements = elements
        if !isOwned(position) {
            if let borrowed = reference(elements + position) {
                // Overwritten without being released: the lender retains it.
                let copied = Unmanaged.passRetained(copy(borrowed))
                UnsafeMutableRawPointer(elements + position).storeBytes(of: copied, as: Unmanaged<AnyObject>.self)
            }
            markOwned(position)
        }
        return elements + position
    }

    /// Replaces an element, and retains the new one. A borrowed old one stays with the lender.
    func replace(at position: Int, by element: Element) {
        if isOwned(position) {
            elements[position] = element
        } else {
            // Overwritten without being released: the lender retains it.
            (elements + position).initialize(to: element)
            markOwned(position)
        }
    }

    private func isOwned(_ position: Int) -> Bool { parts.header.pointee.owned >> UInt32(position) & 1 == 1 }

    /// Marks an element as retained by this page.
    private func markOwned(_ position: Int) {
        let header = parts.header
        header.pointee.owned |= 1 << UInt32(position)
        if header.pointee.owned.nonzeroBitCount > replacedMax(count) { retainAll() }
    }

    func retainAll() {
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
        retainAll()
        let elements = elements
        (elements + position + 1).moveInitialize(from: elements + position, count: count - position)
        (elements + position).initialize(to: element)
        setCount(count + 1)
    }

    func remove(at position: Int) -> Element {
        retainAll()
        let elements = elements
        let element = (elements + position).move()
        (elements + position).moveInitialize(from: elements + position + 1, count: count - position - 1)
        setCount(count - 1)
        return element
    }

    func append(_ element: Element) { insert(element, at: count) }

    func fill(with element: Element) {
        elements.initialize(repeating: element, count: pageSize)
        setCount(pageSize)
    }

    func moveElements(from position: Int, to page: Self) {
        retainAll()
        page.retainAll()
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

// The compiler accesses references in memory through the metadata of the enclosing type, or retains once more than
// necessary. So the pages count their references manually.

/// The reference at the start of an element.
func reference<Element>(_ element: UnsafeMutablePointer<Element>) -> Unmanaged<AnyObject>? {
    UnsafeRawPointer(element).load(as: Unmanaged<AnyObject>?.self)
}

/// The object of a reference that is not nil.
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

/// Prefetches all objects before the first is retained or released: they are scattered in memory, and atomic operations
/// wait for memory one after the other.
private func fetchObjects<Element>(of elements: UnsafeMutablePointer<Element>, count: Int) {
    var types = 1
    for position in 0..<count {
        guard let object = reference(elements + position) else { continue }
        types &= UnsafeRawPointer(object.toOpaque()).load(as: Int.self) | 1
    }
    precondition(types != 0, "an object begins with its type")
}
