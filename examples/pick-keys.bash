# Two pickers in the line that you type, for bash 4.4 or later. Add to ~/.bashrc: source .../pick-keys.bash
#
#     Ctrl-R   a line of the history instead of the line; needs no daemon
#     Alt-P    items of the list $PICK_LIST: their ids are inserted at the cursor, quoted
# shellcheck shell=bash

pick_history() {
    local line
    line=$(fc -lnr 1 | sed 's/^[[:space:]]*//' | awk '!seen[$0]++' |
        diffablectl view - --from lines --select --query "$READLINE_LINE" --prompt 'history> ') || return 0
    READLINE_LINE=$line READLINE_POINT=${#line}
}

pick_items() {
    local items text
    mapfile -d '' -t items < <(diffablectl view "$PICK_LIST" --multi --print0 --prompt "$PICK_LIST> ")
    [ ${#items[@]} -gt 0 ] || return 0
    printf -v text '%q ' "${items[@]}"
    READLINE_LINE=${READLINE_LINE:0:READLINE_POINT}$text${READLINE_LINE:READLINE_POINT}
    READLINE_POINT=$((READLINE_POINT + ${#text}))
}

bind -x '"\C-r": pick_history'
bind -x '"\ep": pick_items'
