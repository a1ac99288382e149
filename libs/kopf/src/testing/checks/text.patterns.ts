import type { Random } from 'kube-common';

/** The most repetitions where a pattern has no limit. */
const MORE = 4;
const DIGITS = [...'0123456789'];
const LETTERS = [...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const CLASSES: Readonly<Record<string, readonly string[]>> = {
  d: DIGITS,
  w: [...LETTERS, ...DIGITS, '_'],
  s: [' '],
};
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

/** The function that makes a text that a part of a pattern matches. */
type Maker = (random: Random) => string;

/** Is thrown at parts of patterns that texts cannot be made for, such as lookaheads. */
class UnsupportedPattern extends Error {}

/**
 * Makes a text that matches a pattern of letters, classes, groups, alternatives, and repetitions.
 *
 * @returns `undefined` for a pattern with anything else, and where no text was found that matches.
 */
export function createMatchingText(pattern: string, random: Random): string | undefined {
  try {
    const make = new PatternReader(pattern).read();
    const expression = new RegExp(pattern, 'u');
    for (let attempt = 0; attempt < 20; attempt += 1) {
      const text = make(random);
      if (expression.test(text)) return text;
    }
  } catch (error) {
    if (!(error instanceof UnsupportedPattern) && !(error instanceof SyntaxError)) throw error;
  }
  return undefined;
}

/** The reader of a pattern from its left to its right. */
class PatternReader {
  private readonly characters: readonly string[];
  private at = 0;

  constructor(pattern: string) {
    this.characters = [...pattern];
  }

  read(): Maker {
    const make = this.readAlternatives();
    if (this.at < this.characters.length) throw new UnsupportedPattern();
    return make;
  }

  private readAlternatives(): Maker {
    const makers = [this.readSequence()];
    while (this.take('|')) makers.push(this.readSequence());
    return (random) => pick(makers, random)(random);
  }

  private readSequence(): Maker {
    const makers: Maker[] = [];
    while (this.at < this.characters.length && !this.isNext('|') && !this.isNext(')')) {
      if (this.take('^') || this.take('$')) continue;
      makers.push(this.readRepetition(this.readAtom()));
    }
    return (random) => makers.map((make) => make(random)).join('');
  }

  private readAtom(): Maker {
    if (this.take('(')) {
      if (this.take('?') && !this.take(':')) throw new UnsupportedPattern();
      const make = this.readAlternatives();
      if (!this.take(')')) throw new UnsupportedPattern();
      return make;
    }
    const characters = this.take('[') ? this.readClass() : this.take('.') ? LETTERS : this.readCharacters();
    return (random) => pick(characters, random);
  }

  /** Reads one character, or an escape, which can stand for several. */
  private readCharacters(): readonly string[] {
    const character = this.next();
    if (character !== '\\') {
      if ('*+?{}'.includes(character)) throw new UnsupportedPattern();
      return [character];
    }
    const escaped = this.next();
    if (escaped in CLASSES) return CLASSES[escaped];
    if (/[a-z0-9]/i.test(escaped)) throw new UnsupportedPattern();
    return [escaped];
  }

  private readClass(): readonly string[] {
    const isNegated = this.take('^');
    const found: string[] = [];
    while (!this.take(']')) {
      const [first, ...others] = this.isNext('\\') ? this.readCharacters() : [this.next()];
      const isRange = others.length === 0 && this.isNext('-') && this.characters[this.at + 1] !== ']';
      if (!isRange) {
        found.push(first, ...others);
        continue;
      }
      this.at += 1;
      const [from, to] = [first.codePointAt(0)!, this.readCharacters()[0].codePointAt(0)!];
      for (let code = from; code <= to; code += 1) found.push(String.fromCodePoint(code));
    }
    return isNegated ? PRINTABLE.filter((character) => !found.includes(character)) : found;
  }

  private readRepetition(make: Maker): Maker {
    const [least, most] = this.readLimits();
    if (least === 1 && most === 1) return make;
    return (random) => {
      const count = least + Math.floor(random.next() * (most - least + 1));
      return Array.from({ length: count }, () => make(random)).join('');
    };
  }

  private readLimits(): readonly [number, number] {
    if (this.take('*')) return [0, MORE];
    if (this.take('+')) return [1, MORE];
    if (this.take('?')) return [0, 1];
    if (!this.take('{')) return [1, 1];
    const start = this.at;
    while (!this.isNext('}')) this.next();
    const [least, most = least] = this.characters.slice(start, this.at).join('').split(',');
    this.at += 1;
    return [Number(least), most === '' ? Number(least) + MORE : Number(most)];
  }

  private isNext(character: string): boolean {
    return this.characters[this.at] === character;
  }

  private take(character: string): boolean {
    const isTaken = this.isNext(character);
    if (isTaken) this.at += 1;
    return isTaken;
  }

  private next(): string {
    const character = this.characters[this.at];
    if (character === undefined) throw new UnsupportedPattern();
    this.at += 1;
    return character;
  }
}

/** Picks one of the items, of which there is at least one. */
export function pick<T>(items: readonly T[], random: Random): T {
  if (items.length === 0) throw new UnsupportedPattern();
  return items[Math.floor(random.next() * items.length)];
}
