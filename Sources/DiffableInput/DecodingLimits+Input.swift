import DiffableJSON

extension DecodingLimits {
    /// The limits for files. The daemon checks sizes later.
    package static let input = DecodingLimits(
        depthMax: 128, contentLengthMax: .max, levelsMax: .max, operationsMax: .max)
}
