// A place in a list that is taller than a browser can scroll. Firefox drops elements above 17,895,698 pixels, and Chromium stops
// at 33,554,428, so the scrolled box has at most 8,000,000. The scroll offset and the place in the list differ by `shift`: by 0 at
// the top, so that the first rows are exact, by the whole difference at the end, and in proportion between them.

export const boxMax = 8_000_000
/** Pixels at both ends where an offset has exactly one place. */
const exact = 100_000

export class Place {
  height = 0
  screen = 0
  top = 0
  shift = 0

  get box() { return Math.min(Math.max(this.height, this.screen), boxMax); }
  get offset() { return this.top - this.shift; }
  get last() { return Math.max(this.height - this.screen, 0); }
  get isLong() { return this.height > boxMax; }

  /** The place that an offset stands for. */
  at(offset) {
    if (!this.isLong || offset <= exact) return offset
    if (offset >= this.box - exact) return this.height - this.box + offset
    return exact + (offset - exact) * (this.height - 2 * exact) / (this.box - 2 * exact)
  }

  /** The offset that stands for the place. */
  settled() {
    if (!this.isLong || this.top <= exact) return this.top
    if (this.top >= this.height - exact) return this.top - this.height + this.box
    return exact + (this.top - exact) * (this.box - 2 * exact) / (this.height - 2 * exact)
  }

  /** Follows a scroll offset: exactly for a small step, in proportion for a jump, as with the scroll bar. */
  scrolled(offset) {
    const isJump = Math.abs(offset - this.offset) > 4 * this.screen
    this.top = Math.min(Math.max(isJump ? this.at(offset) : offset + this.shift, 0), this.last)
    this.shift = this.top - offset
  }

  /** Goes to a place. Returns the offset if it has to be set. */
  go(top) {
    this.top = Math.min(Math.max(top, 0), this.last)
    if (!this.isLong) this.shift = 0
    const offset = this.offset
    const end = this.box - this.screen
    // A long way, or near an end where the offset would run out.
    if (this.isLong && (offset < this.screen || offset > end - this.screen)) return this.settle()
    return offset
  }

  /** Makes the offset stand for the place. Returns the offset. */
  settle() {
    const offset = this.settled()
    this.shift = this.top - offset
    return offset
  }
}
