import NIOCore
import Testing

@testable import DiffableServer

struct TokenBucketTests {
    private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)

    /// Returns the number of available tokens.
    private func taken(from bucket: inout TokenBucket, at time: NIODeadline) -> Int {
        bucket.fill(at: time)
        var count = 0
        while !bucket.isEmpty, count < 1_000 {
            bucket.take()
            count += 1
        }
        return count
    }

    @Test func `as many at once as in a second, and then as many as time brings`() {
        var bucket = TokenBucket(rate: 100, at: start)
        #expect(taken(from: &bucket, at: start) == 100)
        #expect(taken(from: &bucket, at: start + .milliseconds(9)) == 0)
        #expect(taken(from: &bucket, at: start + .milliseconds(10)) == 1)
        #expect(taken(from: &bucket, at: start + .milliseconds(510)) == 50)
        #expect(taken(from: &bucket, at: start + .seconds(3_600)) == 100, "and no more after a long quiet time")
    }

    @Test func `what is left in the bucket does not add to a quiet time`() {
        var bucket = TokenBucket(rate: 100, at: start)
        for _ in 0..<50 { bucket.take() }
        #expect(taken(from: &bucket, at: start + .seconds(3_600)) == 100)
    }

    @Test(arguments: [1, 3, 7, 100, 999_983])
    func `however often it is looked at, nothing is lost and nothing is gained`(rate: Int) {
        var bucket = TokenBucket(rate: rate, at: start)
        for _ in 0..<rate { bucket.take() }
        var count = 0
        // Nine seconds in steps that divide nothing.
        for step in 1...9_000 {
            bucket.fill(at: start + .microseconds(Int64(step) * 1_000))
            while !bucket.isEmpty {
                bucket.take()
                count += 1
            }
        }
        #expect(count == 9 * rate)
    }

    @Test func `a bucket may hold more than comes in a second`() {
        var bucket = TokenBucket(rate: 1, capacity: 10, at: start)
        #expect(taken(from: &bucket, at: start) == 10)
        #expect(taken(from: &bucket, at: start + .milliseconds(999)) == 0)
        #expect(taken(from: &bucket, at: start + .milliseconds(2_500)) == 2)
        #expect(taken(from: &bucket, at: start + .milliseconds(3_000)) == 1, "half a token was kept")
        #expect(taken(from: &bucket, at: start + .seconds(3_600)) == 10)
    }

    @Test func `without a rate there is always another one`() {
        var bucket = TokenBucket(rate: 0, at: start)
        #expect(taken(from: &bucket, at: start) == 1_000)
        #expect(!bucket.isEmpty)
    }
}
