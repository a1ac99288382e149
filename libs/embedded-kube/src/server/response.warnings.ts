/** The number of characters beyond which all warnings of a request are shortened. */
const TOTAL_LIMIT = 4096;
/** The number of characters to which a warning is shortened. */
const ITEM_LIMIT = 256;
const CONTROL = /\p{Cc}/u;

/** The warnings of one answer, within the limits of the real server. */
export class ResponseWarnings {
  private readonly seen = new Set<string>();
  private texts: string[] = [];
  private written = 0;
  private truncating = false;

  /** Adds a warning; a repeated one, or one that a header cannot carry, is left out. */
  add(text: string): void {
    if (text === '' || this.seen.has(text) || (this.truncating && this.written >= TOTAL_LIMIT)) return;
    this.seen.add(text);
    if (CONTROL.test(text)) return;
    const fits = this.written + [...text].length <= TOTAL_LIMIT;
    if (!fits && !this.truncating) {
      this.truncating = true;
      this.written = 0;
      this.texts = this.texts.map((each) => this.shortened(each));
    }
    const shown = this.truncating ? this.shortened(text) : text;
    if (!this.truncating) this.written += [...text].length;
    this.texts.push(shown);
  }

  /** The value of the header; `undefined` without warnings. */
  get header(): string | undefined {
    if (this.texts.length === 0) return undefined;
    return this.texts.map((text) => `299 - "${text.replace(/["\\]/g, '\\$&')}"`).join(', ');
  }

  private shortened(text: string): string {
    const characters = [...text].slice(0, ITEM_LIMIT);
    this.written += characters.length;
    return characters.join('');
  }
}
