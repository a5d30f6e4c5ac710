// The pages of a `PersistentArray`: sixteen elements, or sixteen pages, in one allocation.
//
// A page is written to only while one array alone holds it. What it holds lies behind the object itself, because a page
// that is an object with an array in it would cost two allocations and two steps for every copy and every read.

let pageBits = 4
let pageSize = 1 << pageBits

final class LeafPage<Element>: ManagedBuffer<Void, Element> {
    static func make(repeating element: Element) -> LeafPage {
        make { $0.initialize(repeating: element, count: pageSize) }
    }

    func copy() -> LeafPage {
        withUnsafeMutablePointerToElements { elements in
            LeafPage.make { copies in
                // A loop that the compiler sees through; `initialize(from:)` would ask the type how to copy each one.
                for position in 0..<pageSize { (copies + position).initialize(to: elements[position]) }
            }
        }
    }

    private static func make(_ initialize: (UnsafeMutablePointer<Element>) -> Void) -> LeafPage {
        let page = create(minimumCapacity: pageSize) { _ in () }
        page.withUnsafeMutablePointerToElements(initialize)
        return unsafeDowncast(page, to: LeafPage.self)
    }

    deinit {
        _ = withUnsafeMutablePointerToElements { $0.deinitialize(count: pageSize) }
    }
}

/// It counts the references to the pages under it by hand: reading an element goes through several pages, and the
/// counting that the compiler would do on the way costs more than all the rest.
final class BranchPage: ManagedBuffer<Void, Unmanaged<AnyObject>?> {
    static func make() -> BranchPage {
        let page = create(minimumCapacity: pageSize) { _ in () }
        page.withUnsafeMutablePointerToElements { $0.initialize(repeating: nil, count: pageSize) }
        return unsafeDowncast(page, to: BranchPage.self)
    }

    func copy() -> BranchPage {
        let copy = BranchPage.make()
        for position in 0..<pageSize {
            guard let child = self[position] else { continue }
            copy.withUnsafeMutablePointerToElements { $0[position] = child.retain() }
        }
        return copy
    }

    /// Valid as long as somebody holds this page.
    subscript(position: Int) -> Unmanaged<AnyObject>? {
        withUnsafeMutablePointerToElements { $0[position] }
    }

    /// Takes the child out, changes it and puts it back, so that it can be seen to have no other holder.
    func update(at position: Int, _ body: (inout AnyObject?) -> Void) {
        withUnsafeMutablePointerToElements { children in
            var child = children[position]?.takeRetainedValue()
            children[position] = nil
            body(&child)
            children[position] = child.map(Unmanaged.passRetained)
        }
    }

    deinit {
        withUnsafeMutablePointerToElements { children in
            for position in 0..<pageSize { children[position]?.release() }
        }
    }
}
