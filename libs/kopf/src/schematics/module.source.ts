/** The text of a file with a Nest module, to which imports and members of its decorator are added without formatting it again. */
export class ModuleSource {
  constructor(private source: string) {}

  get text(): string {
    return this.source;
  }

  /** Imports a name of a package or a file, in an existing or a new import. */
  addImport(name: string, from: string): this {
    if (new RegExp(`^import\\b[^;]*\\b${name}\\b[^;]*;`, 'm').test(this.source)) return this;
    const existing = new RegExp(`^(import\\s*\\{[^}]*?)(,?\\s*\\}\\s*from\\s*['"]${escape(from)}['"])`, 'm');
    if (existing.test(this.source)) {
      this.source = this.source.replace(
        existing,
        (_, names: string, rest: string) => `${names}, ${name}${rest.replace(/^,/, '')}`,
      );
      return this;
    }
    const line = `import { ${name} } from '${from}';\n`;
    const last = [...hideLiterals(this.source).matchAll(/^import\b[^;]*;[^\S\n]*\n?/gm)].at(-1);
    const end = last ? last.index + last[0].length : 0;
    const separator = end > 0 && !this.source.slice(0, end).endsWith('\n') ? '\n' : '';
    this.source = this.source.slice(0, end) + separator + line + this.source.slice(end);
    return this;
  }

  /**
   * Adds an expression to a list of the decorator `@Module()`, at its end or at its beginning.
   *
   * @throws Error if there is no such decorator, or the list is not written as one.
   */
  add(list: 'imports' | 'providers', expression: string, place: 'first' | 'last' = 'last'): this {
    const hidden = hideLiterals(this.source);
    const call = /@Module\s*\(\s*/.exec(hidden);
    if (!call) throw new Error('There is no @Module() in the file.');
    const start = call.index + call[0].length;
    if (hidden[start] === ')') return this.insert(start, `{ ${list}: [${expression}] }`);
    if (hidden[start] !== '{')
      throw new Error(`Add ${expression} to the ${list} of @Module(): they are not written in place.`);
    const property = findProperty(hidden, start, list);
    if (property === undefined) return this.insert(start + 1, `\n  ${list}: [${expression}],`);
    if (hidden[property] !== '[')
      throw new Error(`Add ${expression} to the ${list} of @Module(): they are not a list.`);
    if (place === 'first') return this.prepend(property, expression);
    return this.append(property, findEnd(hidden, property), expression);
  }

  /** Whether the file has a word outside of texts and comments. */
  mentions(word: string): boolean {
    return new RegExp(`\\b${word}\\b`).test(hideLiterals(this.source));
  }

  private prepend(open: number, expression: string): this {
    const next = /\s*(?=\S)/y;
    next.lastIndex = open + 1;
    const [space] = next.exec(this.source)!;
    if (this.source[next.lastIndex] === ']') return this.insert(open + 1, expression);
    return this.insert(open + 1, `${space}${expression},${space === '' ? ' ' : ''}`);
  }

  private append(open: number, close: number, expression: string): this {
    const content = this.source.slice(open + 1, close);
    const trimmed = content.trimEnd();
    if (trimmed === '') return this.replace(open + 1, close, expression);
    const indentation = /\n([^\S\n]*)\S[^\n]*$/.exec(trimmed)?.[1];
    const comma = trimmed.endsWith(',') ? '' : ',';
    const added = indentation === undefined ? `${comma} ${expression}` : `${comma}\n${indentation}${expression},`;
    return this.replace(
      open + 1 + trimmed.length,
      close,
      added + (indentation === undefined ? '' : content.slice(trimmed.length)),
    );
  }

  private insert(at: number, text: string): this {
    return this.replace(at, at, text);
  }

  private replace(from: number, to: number, text: string): this {
    this.source = this.source.slice(0, from) + text + this.source.slice(to);
    return this;
  }
}

/** Replaces texts and comments by spaces, so that brackets and words in them are not seen; all other characters keep their places. */
function hideLiterals(source: string): string {
  const literals = /\/\*[^]*?\*\/|\/\/[^\n]*|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\[^]|[^`\\])*`/g;
  return source.replace(literals, (literal) => literal.replace(/[^\n]/g, ' '));
}

/** Finds where the value of a property of an object literal begins. */
function findProperty(hidden: string, start: number, name: string): number | undefined {
  const end = findEnd(hidden, start);
  let depth = 0;
  for (let at = start; at < end; at++) {
    if (/[[{(]/.test(hidden[at])) depth++;
    else if (/[\]})]/.test(hidden[at])) depth--;
    const match = depth === 1 && !/\w/.test(hidden[at - 1]) && new RegExp(`${name}\\s*:\\s*`, 'y');
    if (!match) continue;
    match.lastIndex = at;
    if (match.test(hidden)) return match.lastIndex;
  }
  return undefined;
}

/** Finds the bracket that closes another one. */
function findEnd(hidden: string, start: number): number {
  let depth = 0;
  for (let at = start; at < hidden.length; at++) {
    if (/[[{(]/.test(hidden[at])) depth++;
    else if (/[\]})]/.test(hidden[at]) && --depth === 0) return at;
  }
  throw new Error('A bracket of @Module() is not closed.');
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');
}
