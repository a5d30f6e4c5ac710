#if DEBUG
    import DiffableStore

    /// Groups that a planted fault keeps back on one connection.
    struct PlantedGroups {
        private var count = 0
        private var held: [UInt8]?

        private static let prefix = Array(#"{"jsonrpc":"2.0","method":"changes","#.utf8)
        private static let suffix = Array(#""more":true}}\#n"#.utf8)
        /// One group in so many goes wrong.
        private static let interval = 20

        /// What is sent instead of these bytes.
        mutating func replacing(_ bytes: UnsafeRawBufferPointer) -> [UInt8] {
            let line = Array(bytes)
            guard line.starts(with: Self.prefix), !line.suffix(Self.suffix.count).elementsEqual(Self.suffix) else {
                return line
            }
            if let before = held {
                held = nil
                return line + before
            }
            count += 1
            guard count % Self.interval == 0 else { return line }
            if PlantedFault.current == .swapsGroups { held = line }
            return []
        }
    }
#endif
