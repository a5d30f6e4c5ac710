internal import DiffableView
import Glibc

/// The cells of one or two screens as memory. Each frame compares thousands of cells, nearly all equal, and `memcmp` compares a
/// row of 200 in about 50 ns. A `Cell` has no padding.
struct CellRows {
    let cells: UnsafeBufferPointer<Cell>
    let columns: Int

    var rows: Int { cells.count / columns }

    subscript(row: Int, column: Int) -> Cell { cells[row * columns + column] }

    private func address(_ index: Int) -> UnsafeRawPointer { UnsafeRawPointer(cells.baseAddress! + index) }

    func isRow(_ row: Int, equalTo otherRow: Int, of other: CellRows) -> Bool {
        memcmp(address(row * columns), other.address(otherRow * columns), columns * MemoryLayout<Cell>.stride) == 0
    }

    /// Estimates the bytes for drawing a row over a row of another screen: one for each changed cell, plus a cursor motion for
    /// each run.
    func byteCount(_ row: Int, over otherRow: Int, of other: CellRows) -> Int {
        if isRow(row, equalTo: otherRow, of: other) { return 0 }
        var count = 0
        var wasSame = true
        let ours = address(row * columns)
        let theirs = other.address(otherRow * columns)
        for offset in stride(from: 0, to: columns * MemoryLayout<Cell>.stride, by: MemoryLayout<Cell>.stride) {
            let isSame =
                ours.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
                == theirs.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
            if !isSame { count += wasSame ? 1 + Self.wayLength : 1 }
            wasSame = isSame
        }
        return count
    }

    /// Bytes of a sequence that moves the cursor to another row.
    static let wayLength = 6

    /// Returns a hash of a row's visible cells.
    func fingerprint(_ row: Int) -> UInt64 {
        // Two independent chains, because each product waits for the previous one.
        var clusters: UInt64 = 0xCBF2_9CE4_8422_2325
        var styles: UInt64 = 0x8422_2325_CBF2_9CE4
        let start = address(row * columns)
        for offset in stride(from: 0, to: columns * MemoryLayout<Cell>.stride, by: MemoryLayout<Cell>.stride) {
            let words = start.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
            clusters = (clusters ^ words.x) &* 0x9E37_79B9_7F4A_7C15
            clusters ^= clusters >> 29
            styles = (styles ^ words.y) &* 0xD134_2543_DE82_EF95
            styles ^= styles >> 31
        }
        return clusters ^ styles &* 0x94D0_49BB_1331_11EB
    }
}
