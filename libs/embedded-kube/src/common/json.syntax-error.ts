import { quoteGoCharacter } from './go-quote.js';

const END = ' ';
const SPACE = new Set([' ', '\t', '\r', '\n']);
const LITERALS: Readonly<Record<string, string>> = { t: 'true', f: 'false', n: 'null' };
const ESCAPES = new Set('bfnrt\\/"');

/**
 * Describes what is wrong with a text that is no JSON, in the words of the real server's parser: `invalid character 'x' after top-level
 * value`.
 *
 * Slow, as it is called only for texts that could not be parsed. Like the real parser it looks at bytes: each byte of a character of
 * several bytes is shown as a character.
 *
 * @returns `undefined` for JSON
 */
export function describeJsonError(text: string): string | undefined {
  try {
    new JsonScanner(Buffer.from(text).toString('latin1')).scan();
    return undefined;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.message;
    throw error;
  }
}

class JsonSyntaxError extends Error {}

class JsonScanner {
  private at = 0;
  /** The closing brackets of maps and lists that are open. */
  private readonly open: ('}' | ']')[] = [];

  constructor(private readonly text: string) {}

  /** Scans the text without recursion, as texts may be nested deeply. */
  scan(): void {
    this.beginValue();
    while (this.open.length > 0) {
      const close = this.open.at(-1)!;
      const next = this.skip();
      if (next === ',') {
        this.at += 1;
        if (close === '}') this.key();
        this.beginValue();
      } else if (next === close) {
        this.at += 1;
        this.open.pop();
      } else this.fail(close === '}' ? 'after object key:value pair' : 'after array element');
    }
    this.skip();
    if (this.at < this.text.length) this.fail('after top-level value');
  }

  /** Reads a value to its end, or a map or list to the end of the first value in it. */
  private beginValue(): void {
    for (;;) {
      const next = this.skip();
      if (next !== '{' && next !== '[') return this.scalar(next);
      this.at += 1;
      this.open.push(next === '{' ? '}' : ']');
      if (this.skip() === this.open.at(-1)) {
        this.at += 1;
        this.open.pop();
        return;
      }
      if (next === '{') this.key();
    }
  }

  private key(): void {
    if (this.skip() !== '"') this.fail('looking for beginning of object key string');
    this.string();
    if (this.skip() !== ':') this.fail('after object key');
    this.at += 1;
  }

  private scalar(next: string | undefined): void {
    if (next === '"') return this.string();
    if (next === '-' || isDigit(next)) return this.number();
    const literal = LITERALS[next ?? ''];
    if (!literal) this.fail('looking for beginning of value');
    for (const expected of literal) {
      if (this.current() !== expected) this.failInside(`in literal ${literal} (expecting '${expected}')`);
      this.at += 1;
    }
  }

  private string(): void {
    for (this.at += 1; ; this.at += 1) {
      const next = this.text[this.at];
      if (next === '"') break;
      if (next === undefined || next < ' ') this.fail('in string literal');
      if (next !== '\\') continue;
      this.at += 1;
      if (this.text[this.at] === 'u') this.hexadecimal();
      else if (!ESCAPES.has(this.text[this.at]!)) this.fail('in string escape code');
    }
    this.at += 1;
  }

  private hexadecimal(): void {
    for (let digit = 0; digit < 4; digit++) {
      this.at += 1;
      if (!/[0-9a-fA-F]/.test(this.text[this.at] ?? '')) this.fail('in \\u hexadecimal character escape');
    }
  }

  private number(): void {
    if (this.current() === '-') {
      this.at += 1;
      if (!isDigit(this.current())) this.failInside('in numeric literal');
    }
    if (this.current() === '0') this.at += 1;
    else this.digits();
    if (this.current() === '.') {
      this.at += 1;
      if (!isDigit(this.current())) this.failInside('after decimal point in numeric literal');
      this.digits();
    }
    if (this.current() !== 'e' && this.current() !== 'E') return;
    this.at += 1;
    if (this.current() === '+' || this.current() === '-') this.at += 1;
    if (!isDigit(this.current())) this.failInside('in exponent of numeric literal');
    this.digits();
  }

  private digits(): void {
    while (isDigit(this.current())) this.at += 1;
  }

  /** Returns the next character that is no white space; `undefined` at the end. */
  private skip(): string | undefined {
    while (SPACE.has(this.text[this.at]!)) this.at += 1;
    return this.text[this.at];
  }

  /** Returns the character at hand; the real parser ends a text with a space. */
  private current(): string {
    return this.text[this.at] ?? END;
  }

  private fail(where: string): never {
    if (this.at >= this.text.length) throw new JsonSyntaxError('unexpected end of JSON input');
    this.failInside(where);
  }

  private failInside(where: string): never {
    throw new JsonSyntaxError(`invalid character ${quoteGoCharacter(this.current())} ${where}`);
  }
}

function isDigit(character: string | undefined): boolean {
  return character !== undefined && character >= '0' && character <= '9';
}
