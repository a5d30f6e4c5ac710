import Diffable
import DiffableInput
import Testing

@testable import diffablectl

@Suite struct PrometheusTextTests {
    /// A line feed, even after a carriage return, begins another metric.
    @Test func `no value and no label of a daemon makes a line of its own`() throws {
        let status = try #require(
            Content.parsed(
                #"{"version":"1\r\nup 0\n\"x\\","lists":"3\nup 0","items":4,"connections":null,"connector":true}"#))
        #expect(
            prometheusLines(of: JSONReader(status)).filter { !$0.hasPrefix("#") } == [
                "diffabled_info{version=\"1\r\\nup 0\\n\\\"x\\\\\"} 1", "diffabled_items 4",
                "diffabled_connector_attached 1",
            ])
    }
}
