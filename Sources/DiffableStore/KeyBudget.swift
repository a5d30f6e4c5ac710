/// Decides which request keys are forgotten if all lists together have too many: the lists with the most keys lose
/// their oldest ones, down to a common level. A list that uses many keys does not make other lists lose theirs.
enum KeyBudget {
    /// The number of keys for each list, at least 1, with which all lists together keep at most `max`. O(lists · log lists).
    static func keysPerList(of counts: some Collection<Int>, within max: Int) -> Int {
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

    /// The total to cut down to once `max` is exceeded. It is lower than `max`, so that not every new key triggers a cut.
    static func totalAfterCut(_ max: Int) -> Int { max - max / 16 }
}
