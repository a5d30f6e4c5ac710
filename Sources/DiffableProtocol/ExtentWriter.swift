import Diffable
import DiffableJSON

/// Writes the position of a window: its numbers, and in pieces of limited length the rows of pins and sections.
struct ExtentWriter: Sendable {
    private let extent: Window.Extent?
    /// The number of pins and sections that are written.
    private var next = 0

    init(_ extent: Window.Extent?) { self.extent = extent }

    private var count: Int { extent.map { $0.pins.count + $0.rows.count } ?? 0 }

    /// Whether pins or sections are left.
    var hasMore: Bool { next < count }

    /// Writes the members of one part of an update. `.more` means that pins or sections are left for the next part.
    mutating func writePart(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        writeNumbers(into: &writer)
        guard hasMore, let extent else { return .done }
        var isEmpty = true
        while hasMore {
            let start = writer.count
            if isEmpty || next == extent.pins.count {
                if !isEmpty { writer.append("}") }
                open(extent, into: &writer)
            } else {
                writer.append(",")
            }
            write(extent, into: &writer)
            if writer.count + 1 > limit, !isEmpty {
                writer.truncate(to: start)
                writer.append("}")
                return .more
            }
            isEmpty = false
            next += 1
        }
        writer.append("}")
        return .done
    }

    func writeNumbers(into writer: inout ByteWriter) {
        guard let extent else { return }
        writer.appendMember("offset", extent.offset)
        writer.appendMember("total", extent.total)
        if let anchor = extent.anchor { writer.appendMember("anchor", anchor) }
    }

    /// Writes pins and sections in the middle of a line. `.more` means that some are left for the next page of the line.
    mutating func writeRest(into writer: inout ByteWriter, upTo limit: Int) -> Progress {
        guard hasMore, let extent else { return .done }
        while hasMore {
            if next == extent.pins.count, next > 0 { writer.append("}") }
            if next == 0 || next == extent.pins.count {
                open(extent, into: &writer)
            } else {
                writer.append(",")
            }
            write(extent, into: &writer)
            next += 1
            if hasMore, writer.count >= limit { return .more }
        }
        writer.append("}")
        return .done
    }

    private func open(_ extent: Window.Extent, into writer: inout ByteWriter) {
        writer.append(next < extent.pins.count ? #","pins":{"# : #","rows":{"#)
    }

    private func write(_ extent: Window.Extent, into writer: inout ByteWriter) {
        if next < extent.pins.count {
            let pin = extent.pins[next]
            writer.appendString(pin.item)
            writer.append(":")
            if let row = pin.row { writer.append(row) } else { writer.append("null") }
        } else {
            let rows = extent.rows[next - extent.pins.count]
            writer.appendString(rows.section)
            writer.append(":")
            writer.append(rows.count)
        }
    }
}
