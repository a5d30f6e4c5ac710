import Diffable
import Testing

@testable import DiffableInput
@testable import diffablectl

struct SortKeyTests {
    @Test(arguments: [
        (".due", #""/due""#), ("id", #""id""#), ("-id", #"{"path":"id","descending":true}"#),
        ("-.due", #"{"path":"/due","descending":true}"#), ("#/cpu", #"{"path":"/cpu","numeric":true}"#),
        ("#.cpu", #"{"path":"/cpu","numeric":true}"#), ("#cpu", #"{"path":"/cpu","numeric":true}"#),
        ("-#/cpu", #"{"path":"/cpu","descending":true,"numeric":true}"#),
        ("#-.cpu", #"{"path":"/cpu","descending":true,"numeric":true}"#), (".#cpu", ##""/#cpu""##),
        ("--cpu", #"{"path":"/-cpu","descending":true}"#), ("##cpu", ##"{"path":"/#cpu","numeric":true}"##),
    ])
    func `a minus sorts from the greatest and a hash by numbers, in either order`(text: String, json: String) throws {
        #expect(try SortKey(checking: text).json.description == json)
        #expect(throws: Never.self) { try checkedView(#"{"sort":[\#(json)]}"#) }
    }

    @Test(arguments: ["", "-", "#", "-#", "#.a..b"]) func `marks without a field are refused`(text: String) {
        #expect(throws: (any Error).self) { try SortKey(checking: text) }
    }
}
