/** The text of a file with a DTO: its class, and an example that follows from the types of its properties. */
export class DtoSource {
  readonly name: string;
  /** A value for each property that is required. */
  readonly example: Readonly<Record<string, unknown>>;

  /** @throws Error if the file exports no class. */
  constructor(file: string, text: string) {
    const [, name, body] = /^export class (\w+)[^{]*\{\n([^]*?)^\}/m.exec(text) ?? [];
    if (name === undefined) throw new Error(`The file ${file} exports no class.`);
    this.name = name;
    this.example = Object.fromEntries(readProperties(body).map((property) => [property.name, createExample(property)]));
  }
}

interface DtoProperty {
  readonly name: string;
  readonly type: string;
  /** Its decorators, as they are written. */
  readonly rules: string;
}

/** Reads the properties that are neither optional nor have an initial value. */
function readProperties(body: string): readonly DtoProperty[] {
  return body.split(/;[^\S\n]*\n/).flatMap((statement) => {
    const [, name, type] = /^ *(?:readonly )?(\w+)!?: *([^=]+)$/m.exec(statement.trimEnd().split('\n').at(-1)!) ?? [];
    return name === undefined || /@IsOptional\(/.test(statement) ? [] : [{ name, type: type.trim(), rules: statement }];
  });
}

function createExample({ type, rules }: DtoProperty): unknown {
  const [, choice] = /@IsIn\(\[\s*('[^']*'|"[^"]*"|\d+)/.exec(rules) ?? /^('[^']*')/.exec(type) ?? [];
  if (choice !== undefined) return /^\d/.test(choice) ? Number(choice) : choice.slice(1, -1);
  if (/\[\]$|^Array</.test(type)) return [];
  if (type === 'number') return Number(/@Min\((\d+)/.exec(rules)?.[1] ?? 1);
  if (type === 'boolean') return true;
  return type === 'string' ? 'example' : {};
}
