/// Which keys of requests are forgotten when all lists together have too many: the oldest ones of the lists that have
/// most, down to one level for all of them. So a list that uses many keys does not make another list forget its own.
enum KeyBudget {
    /// The level: how many keys a list may keep so that all lists together have no more than `max`; one for each list
    /// in any case. O(lists · log lists)
    static func level(of counts: some Collection<Int>, within max: Int) -> Int {
        var left = max
        var lists = counts.count
        for count in counts.sorted() {
            let share = left / lists
            if count > share { return Swift.max(share, 1) }
            left -= count
            lists -= 1
        }
        return .max
    }

    /// Lists are cut to this many when they have more than `max`, so that not each new key causes a cut.
    static func reduced(_ max: Int) -> Int { max - max / 16 }
}
