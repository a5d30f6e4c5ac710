/// Texts with disputed widths, or with drawn widths that differ from the counted ones.
enum DifficultTexts {
    static let all = [
        "👨‍👩‍👧‍👦 family", "👩🏽‍🚀 astronaut", "🏳️‍🌈 rainbow", "🇩🇪🇫🇷🇯🇵 flags", "🏴󠁧󠁢󠁥󠁮󠁧󠁿 England", "👍🏿 thumb", "❤️ heart", "☺︎ text",
        "1️⃣ keycap", "नमस्ते", "क्षत्रिय", "தமிழ்", "ภาษาไทย", "မြန်မာ", "مرحبا بالعالم", "שָׁלוֹם", "e\u{301}\u{302}\u{303}",
        "Z͑ͫ̓ͪ̂ͫ̽͏a̴l̷g̸o̵", "日本語のテキスト", "한국어 \u{1112}\u{1161}\u{11AB}", "①②③ ±½→", "ﷺ long", "⌛⏰☔ wide", "\u{1FAE8} new",
        "\u{301} mark", "\u{93E} vowel", "\u{903}", "\u{20DD}", "\u{102C}\u{1038}", "a\u{903}\u{93E}b", "🏿 🇩 a",
        "\u{378}x",
    ]
}
