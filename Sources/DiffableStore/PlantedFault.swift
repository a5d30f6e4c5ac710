#if DEBUG
    import Foundation

    /// A fault that the conformance suite plants, to see that it is caught. None of this is in a release.
    package enum PlantedFault: String {
        /// A subscriber is not sent a group.
        case dropsChange
        /// A subscriber is sent two groups the wrong way round.
        case swapsGroups
        /// What is deleted among several transactions is not, for those who are sent them in one.
        case skipsCoalescedDelete
        /// A group is told and acknowledged before it is written.
        case acknowledgesFirst
        /// A transaction leads to the revision that the one before it led to.
        case reusesRevision
        /// A request that comes again is made again.
        case appliesKeyTwice

        /// From the environment, at the start.
        package static let current = ProcessInfo.processInfo.environment["DIFFABLED_PLANTED_FAULT"]
            .flatMap(PlantedFault.init)
    }
#endif
