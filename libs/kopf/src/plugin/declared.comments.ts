import { SOURCE_COMMENTS } from '../custom-resources/source.comments.js';

/** The beginning of a class of the module itself: `export declare class Disk {`. */
const CLASS = /^(?:export )?(?:default )?(?:declare )?(?:abstract )?class ([\p{ID_Start}$_][\p{ID_Continue}$]*)\b/u;

/** The declaration of a property: `    readonly size?: string;`. Methods and accessors have no documentation that CRDs show. */
const PROPERTY =
  /^ {4}(?:(?:public|protected|readonly|declare) )*(?:"([^"]+)"|([\p{ID_Start}$_][\p{ID_Continue}$]*))[?!]?[:;]/u;

/**
 * Adds the documentation of classes and of their properties to a compiled module. It is read from the declarations that the compiler has
 * emitted for the module, which have one statement or member in a line, and no code.
 *
 * For compilers that take no transformations; {@link createCommentTransformer} is for others.
 *
 * @param declarations the text of the file `.d.ts`.
 */
export function addDeclaredComments(code: string, declarations: string): string {
  const statements = [...readClasses(declarations)].map(([name, comments]) => {
    const value = JSON.stringify(Object.fromEntries(comments));
    return `Reflect.defineProperty(${name}, Symbol.for('${SOURCE_COMMENTS}'), { value: ${value} });\n`;
  });
  const end = code.lastIndexOf('//# sourceMappingURL=');
  return end < 0 ? `${code}\n${statements.join('')}` : code.slice(0, end) + statements.join('') + code.slice(end);
}

function readClasses(declarations: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const classes = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  let comment: string | undefined;
  for (const [line] of declarations.matchAll(/^ *\/\*\*[^]*?\*\/|^.*$/gm)) {
    if (/^ *\/\*\*/.test(line)) {
      comment = line.trim();
      continue;
    }
    const type = CLASS.exec(line)?.[1];
    if (type !== undefined) classes.set(type, (current = new Map()));
    else if (line.startsWith('}')) current = undefined;
    const [, quoted, plain] = (type === undefined && PROPERTY.exec(line)) || [];
    const name = type === undefined ? (quoted ?? plain) : '';
    const description = comment === undefined ? '' : descriptionOf(comment);
    if (current && name !== undefined && description) current.set(name, description);
    comment = undefined;
  }
  for (const [name, comments] of classes) if (comments.size === 0) classes.delete(name);
  return classes;
}

/** The text of a documentation comment, up to its first tag. Lines of a paragraph are joined, and links become their texts. */
export function descriptionOf(comment: string): string {
  const lines = comment.slice('/**'.length, -'*/'.length).split('\n');
  const plain = lines.map((line) => line.replace(/^\s*\* ?/, '').trimEnd());
  const tag = plain.findIndex((line) => /^\s*@\w/.test(line));
  return plain
    .slice(0, tag < 0 ? undefined : tag)
    .join('\n')
    .replace(
      /\{@link\s+([^}|]+?)\s*(?:\|\s*([^}]+?)\s*)?\}/g,
      (_link, target: string, label?: string) => label ?? target,
    )
    .split(/\n\s*\n/)
    .map((paragraph) => paragraph.replace(/\s+/g, ' ').trim())
    .filter(Boolean)
    .join('\n');
}
