/// A cell of a grid, in 16 bytes without gaps, so that rows can be compared as bytes.
package struct Cell: Hashable, Sendable, BitwiseCopyable {
    /// A scalar, or with `sequenceBit` an index into the grid's table of clusters; zero in the second column of a wide cluster.
    private(set) var code: UInt32
    private var flags: UInt32
    package var style: Style

    private static let sequenceBit: UInt32 = 1 << 31
    private static let wideFlag: UInt32 = 1
    private static let doubtfulFlag: UInt32 = 2

    init(scalar: Unicode.Scalar, width: Int, isDoubtful: Bool, style: Style) {
        self.init(code: scalar.value, width: width, isDoubtful: isDoubtful, style: style)
    }

    init(sequence index: Int, width: Int, isDoubtful: Bool, style: Style) {
        self.init(code: UInt32(index) | Self.sequenceBit, width: width, isDoubtful: isDoubtful, style: style)
    }

    private init(code: UInt32, width: Int, isDoubtful: Bool, style: Style) {
        self.code = code
        flags = (width == 2 ? Self.wideFlag : 0) | (isDoubtful ? Self.doubtfulFlag : 0)
        self.style = style
    }

    package static func blank(_ style: Style) -> Cell { Cell(scalar: " ", width: 1, isDoubtful: false, style: style) }

    static func continuation(_ style: Style) -> Cell { Cell(code: 0, width: 1, isDoubtful: false, style: style) }

    package var isContinuation: Bool { code == 0 }
    package var isBlank: Bool { code == 0x20 }
    package var width: Int { isContinuation ? 0 : flags & Self.wideFlag == 0 ? 1 : 2 }
    package var isDoubtful: Bool { flags & Self.doubtfulFlag != 0 }

    /// Nil for a sequence and for the second column of a wide cluster.
    package var scalar: Unicode.Scalar? {
        isContinuation || code & Self.sequenceBit != 0 ? nil : Unicode.Scalar(code)
    }

    /// The index into the table of clusters; nil for a single scalar.
    var sequenceIndex: Int? { code & Self.sequenceBit == 0 ? nil : Int(code & ~Self.sequenceBit) }
}
