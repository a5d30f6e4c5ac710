import Diffable
import DiffableView

/// Lists with most features.
enum Gallery {
    static func everything(_ appearance: Appearance, _ layout: SectionLayout.Kind) throws -> Document {
        Document(
            try Snapshot(
                fixture: """
                    {"content": {"title": "Groceries", "subtitle": "7 things", "appearance": "\(appearance)",
                      "layout": "\(layout)"},
                     "sections": [
                      {"id": "a", "content": {"header": {"text": "Today", "badge": 4}, "footer": "Bring the bags."}, "items": [
                        {"id": "milk", "content": {"title": "Milk", "amount": 2, "secondaryText": "from the farm",
                          "checked": false, "icon": "🥛"}},
                        {"id": "bread", "content": {"title": "Bread", "amount": 1, "checked": true, "icon": "🍞",
                          "badge": {"text": "new", "tint": "green"}, "accessories": ["disclosureIndicator"]}},
                        {"id": "fruit", "content": {"title": "Fruit", "amount": 12, "checked": null, "icon": "★",
                          "progress": 0.4, "secondaryText": "two of five"}, "children": [
                            {"id": "apple", "content": {"title": "Apple", "amount": 7, "tint": "red", "urgent": true}},
                            {"id": "pear", "content": {"title": "Pear", "amount": 5, "enabled": false,
                              "accessories": ["checkmark", {"type": "label", "text": "ripe"}]}}]}]},
                      {"id": "b", "content": {"header": "Later", "separators": true, "more": true}, "items": [
                        {"id": "soap", "content": {"title": "Soap", "amount": 3}},
                        {"id": "note", "content": {"title":
                          "A note that is so long that it takes more than one line on most screens that people use",
                          "lines": 0, "amount": 1000}},
                        {"id": "box", "content": {"title": "Box", "amount": 1, "secondaryText": "of wood",
                          "hasChildren": true}}]}]}
                    """))
    }
}
