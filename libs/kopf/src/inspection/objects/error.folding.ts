/** The parts that differ in errors that mean the same. */
const PARTS: readonly RegExp[] = [
  // UUIDs, and addresses of IP with their ports.
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi,
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g,
  // Hexadecimal hashes and random suffixes of names, which have digits and letters.
  /\b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-f]{7,}\b/gi,
  /\b\d+(?:[.,]\d+)*\b/g,
];

const FOLD = '…';

/** The most characters of a text that are folded; the rest is ignored. */
const LONGEST = 300;

/**
 * Makes texts of errors with the same meaning equal: numbers, addresses, identifiers, and the names of the object are replaced by `…`.
 *
 * @param names the names of the object, and others that are its own.
 */
export function foldError(text: string, names: readonly (string | undefined)[] = []): string {
  const [line] = text.slice(0, LONGEST).split('\n');
  const named = names.filter((name) => name).sort((one, other) => other!.length - one!.length);
  const folded = named.reduce<string>((rest, name) => replaceWord(rest, name!), line);
  return PARTS.reduce((rest, part) => rest.replace(part, FOLD), folded);
}

/** Replaces a name where it is a whole word. */
function replaceWord(text: string, name: string): string {
  const escaped = name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(new RegExp(`(?<![\\w-])${escaped}(?![\\w-])`, 'g'), FOLD);
}

/** The most texts that are remembered. */
const MOST = 2000;

/** The folding of errors, with a cache of the last ones: the same objects fail with the same errors in answer after answer. */
export class ErrorFolder {
  private readonly folded = new Map<string, string>();

  fold(text: string, names: readonly (string | undefined)[]): string {
    const key = [text.slice(0, LONGEST), ...names].join('\0');
    let folded = this.folded.get(key);
    if (folded === undefined) {
      if (this.folded.size >= MOST) this.folded.clear();
      this.folded.set(key, (folded = foldError(text, names)));
    }
    return folded;
  }
}
