import ArgumentParser
import Diffable
import DiffableInput

/// A list that a new list can start from, as `apply` reads it.
enum Preset: String, CaseIterable, ExpressibleByArgument {
    case todo, board, table, log

    /// It is in docs/appearance.md, too.
    var json: String {
        switch self {
        case .todo:
            #"""
            {"content":{"appearance":"insetGrouped","canReorder":true,"selection":"multiple",
              "canInsert":{"content":{"checked":false}},
              "empty":{"text":"Nothing to do","secondaryText":"+ adds a task","icon":"✓"},
              "kinds":{"":{"toggle":"/checked","trailingActions":[
                {"id":"delete","title":"Delete","key":"x","multiple":true,
                 "operations":[{"op":"deleteItems","items":["$item"]}]}]}}},
             "sections":[]}
            """#
        case .board:
            #"""
            {"content":{"appearance":"insetGrouped","canReorder":true,"canInsert":true,"selection":"multiple",
              "kinds":{"":{
                "leadingActions":[
                  {"id":"todo","title":"To do","key":"t","multiple":true,
                   "operations":[{"op":"moveItem","item":"$item","section":"todo"}]},
                  {"id":"doing","title":"Doing","key":"i","multiple":true,
                   "operations":[{"op":"moveItem","item":"$item","section":"doing"}]},
                  {"id":"done","title":"Done","key":"d","multiple":true,
                   "operations":[{"op":"moveItem","item":"$item","section":"done"}]}],
                "trailingActions":[
                  {"id":"delete","title":"Delete","key":"x","multiple":true,
                   "operations":[{"op":"deleteItems","items":["$item"]}]}]}}},
             "sections":[
              {"id":"todo","content":{"header":{"text":"To do","badge":{"count":true}}}},
              {"id":"doing","content":{"header":{"text":"Doing","badge":{"count":true}}}},
              {"id":"done","content":{"header":{"text":"Done","badge":{"count":true}}}}]}
            """#
        case .table:
            #"""
            {"content":{"layout":"table"},"sections":[]}
            """#
        case .log:
            #"""
            {"content":{"empty":{"text":"Nothing was logged"},"kinds":{"":{"lines":4,
              "tint":{"path":"/level","map":{"error":"red","warning":"orange","info":"secondary"}},
              "accessories":[{"type":"label","text":{"path":"/time","format":"time"}}]}}},
             "sections":[]}
            """#
        }
    }

    var list: WholeList {
        guard case .whole(let list)? = try? InputReader(format: .json).read(Array(json.utf8)) else {
            preconditionFailure("the preset \(rawValue) is a list")
        }
        return list
    }
}

extension WholeList {
    /// Makes viewers draw the list as a table, unless it has a content of its own.
    mutating func suggestTable() { content = content ?? Preset.table.list.content }
}
