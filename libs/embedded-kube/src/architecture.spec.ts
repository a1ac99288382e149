import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const SOURCES = import.meta.dirname;
const PAGE = readFileSync(join(SOURCES, '../ARCHITECTURE.md'), 'utf8');
const NAMED = [...new Set([...PAGE.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file]) => file!))];
/** `file` | `function`, `function`, and in lists: `file`: `function`. */
const FUNCTIONS = [...PAGE.matchAll(/`([\w./-]+\.ts)`(?: +\| +|:\s+)((?:`\w+`(?:, )?)+)/g)].flatMap(([, file, names]) =>
  [...names!.matchAll(/\w+/g)].map(([name]) => [file!, name] as const),
);
/** The main files of the folders, in the order of the floors. */
const MAIN_FILES = new Map(
  [...PAGE.matchAll(/^\| (?:`(\w+)`|the (root)) +\| .* \| `([\w./-]+)` +\|$/gm)].map(([, folder, root, file]) => [
    folder ?? root!,
    file!,
  ]),
);

function floorOf(file: string): number {
  return [...MAIN_FILES.keys()].indexOf(file.includes('/') ? file.split('/')[0]! : 'root');
}

describe('ARCHITECTURE.md', () => {
  it('should name files that are there', () => {
    expect(NAMED.length).toBeGreaterThan(60);
    expect(NAMED.filter((file) => !existsSync(join(SOURCES, file)))).toEqual([]);
  });

  it('should name functions that these files have', () => {
    const declares = (file: string, name: string): boolean =>
      new RegExp(`^(export )?(  )?((private|async|function) )*${name}(<.*>)?\\(`, 'm').test(
        readFileSync(join(SOURCES, file), 'utf8'),
      );
    expect(FUNCTIONS.length).toBeGreaterThan(25);
    expect(FUNCTIONS.filter(([file, name]) => !declares(file, name))).toEqual([]);
  });

  it('should name the folders in the order in which they import each other', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).map((file) => file.replaceAll('\\', '/'));
    const upward = files
      .filter((file) => /^\w+\/.*(?<!\.spec|\.spec-support)\.ts$/.test(file))
      .flatMap((file) =>
        [...readFileSync(join(SOURCES, file), 'utf8').matchAll(/ from '(\.[^']+)'/g)]
          .map(([, path]) => posix.join(posix.dirname(file), path!))
          .filter((target) => floorOf(target) > floorOf(file))
          .map((target) => `${file} imports ${target}`),
      );
    expect(upward).toEqual([]);
  });

  it('should name every folder and its main file, which says why the folder is there and what it may import', () => {
    const folders = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect([...MAIN_FILES.keys()].sort()).toEqual([...folders.map(({ name }) => name), 'root'].sort());
    for (const [folder, file] of MAIN_FILES) {
      const opening = /^(?:#!.*\n)?((?:\/\/ .*\n)+)/.exec(readFileSync(join(SOURCES, file), 'utf8'))?.[1];
      expect(opening).toMatch(new RegExp(`^// ${folder}: [^]*^// May import: `, 'm'));
    }
  });
});
