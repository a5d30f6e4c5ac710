// Characters for the names of the freedesktop icon naming specification that lists use most. An unknown name shows nothing: a
// row without an icon is better than one with a wrong icon.

extension Icon {
    func cluster(_ symbols: Symbols) -> Cluster? {
        let character: Character?
        switch self {
        case .character(let own): character = own
        case .named(let name):
            let name = name.hasSuffix("-symbolic") ? String(name.dropLast("-symbolic".count)) : name
            character = characters[name]
        }
        guard let cluster = character.flatMap(Cluster.init) else { return nil }
        if symbols.isASCII, cluster.asciiForm == nil { return nil }
        return cluster
    }
}

extension ItemLook {
    /// The icon; for an image without an icon, a sign for images.
    func iconCluster(_ symbols: Symbols) -> Cluster? {
        icon?.cluster(symbols) ?? image.flatMap { _ in Icon.named("image-x-generic").cluster(symbols) }
    }
}

extension Cluster {
    var asciiForm: Cluster? {
        if case .scalar(let scalar) = contents, scalar.isASCII { self } else { nil }
    }
}

private let characters: [String: Character] = [
    "appointment-new": "◷", "appointment-soon": "◷", "audio-volume-high": "♪", "audio-volume-muted": "♪",
    "audio-x-generic": "♪", "avatar-default": "☺", "battery": "▮", "bookmark-new": "☆", "calendar": "▦",
    "call-start": "☎", "computer": "▣", "dialog-error": "✗", "dialog-information": "ℹ", "dialog-password": "⚿",
    "dialog-question": "?", "dialog-warning": "⚠", "document-edit": "✎", "document-new": "✚", "document-open": "▤",
    "document-save": "▼", "document-send": "➤", "drive-harddisk": "▤", "edit-clear": "⌫", "edit-copy": "⧉",
    "edit-cut": "✂", "edit-delete": "✗", "edit-find": "⌕", "edit-paste": "▤", "edit-redo": "↷", "edit-undo": "↶",
    "emblem-default": "✓", "emblem-favorite": "★", "emblem-important": "!", "emblem-ok": "✓",
    "emblem-symbolic-link": "↪", "face-smile": "☺", "favorite": "★", "folder": "▰", "folder-open": "▱", "go-down": "↓",
    "go-home": "⌂", "go-next": "→",
    "go-previous": "←", "go-up": "↑", "help-about": "ℹ", "image-x-generic": "▧", "list-add": "+", "list-remove": "−",
    "mail-attachment": "⊘", "mail-forward": "→", "mail-mark-important": "!", "mail-read": "○", "mail-replied": "↩",
    "mail-reply-sender": "↩", "mail-send": "➤", "mail-unread": "●", "media-eject": "⏏", "media-playback-pause": "‖",
    "media-playback-start": "▶", "media-playback-stop": "■", "media-record": "●", "media-skip-backward": "◀",
    "media-skip-forward": "▶", "network-offline": "○", "network-online": "●", "network-server": "▣",
    "network-wired": "⇄", "network-wireless": "≋", "object-select": "✓", "package-x-generic": "▣",
    "preferences-system": "⚙", "printer": "⎙", "process-stop": "✗", "process-working": "◌", "security-high": "⚿",
    "starred": "★", "non-starred": "☆", "system-lock-screen": "⚿", "system-run": "⚙", "system-search": "⌕",
    "system-shutdown": "⏻", "tag": "◈", "task-due": "◷", "task-past-due": "◷", "text-html": "▤",
    "text-x-generic": "▤", "user-available": "●", "user-away": "◐", "user-bookmarks": "☆", "user-busy": "⊖",
    "user-home": "⌂", "user-offline": "○", "user-trash": "✗", "video-x-generic": "▶", "view-list": "≡",
    "view-refresh": "↻", "weather-clear": "☀", "weather-overcast": "☁", "window-close": "✗", "x-office-calendar": "▦",
    "x-office-document": "▤", "x-office-spreadsheet": "▦",
]
