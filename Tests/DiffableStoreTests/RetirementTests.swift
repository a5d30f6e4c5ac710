import Testing

@testable import DiffableStore

struct RetirementTests {
    @Test func `only what goes with a deleted list is everything`() {
        #expect(RowDeletion.everything(list: 1).isOfEverything)
        #expect(!RowDeletion(list: 1, revisionMax: .max, generationKept: 0).isOfEverything)
        #expect(!RowDeletion(list: 1, revisionMax: 7, generationKept: -1).isOfEverything)
        #expect(!RowDeletion(list: 1, revisionMax: 7, generationKept: 3).isOfEverything)
    }
}
