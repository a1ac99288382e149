import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const LIST = 'test/tools/layers.json';
/** Where the names and the entry points of the packages are found. */
const MANIFESTS = readdirSync(join(ROOT, 'libs')).map((folder) => `libs/${folder}/package.json`);

/** The packages that one library imports, and its layers, as `test/tools/layers.oxlint.mjs` describes them. */
interface Layers {
  /** The packages of this repository that it imports. */
  readonly packages: readonly string[];
  readonly layers: readonly (string | readonly string[])[];
  readonly leaves: readonly string[];
  /** The leaves that stand on other ones. */
  readonly leavesOnLeaves?: Readonly<Record<string, readonly string[]>>;
  /** The leaves that do not import everything, with the layers that they may import. */
  readonly leavesOverFew?: Readonly<Record<string, readonly string[]>>;
  readonly exceptions: readonly { readonly from: string; readonly to: string; readonly reason: string }[];
}

interface Diagnostic {
  readonly filename: string;
  readonly message: string;
  readonly code: string;
}

const LIBRARIES: Record<string, Layers> = JSON.parse(readFileSync(join(ROOT, LIST), 'utf8'));
const WITH_LAYERS = Object.entries(LIBRARIES).filter(([, { layers }]) => layers);

/** A folder with the lint rules of the repository, where files with violations can be written. */
class LintFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'kopf-lint-'));

  constructor() {
    mkdirSync(join(this.path, 'test/tools'), { recursive: true });
    for (const file of ['.oxlintrc.json', LIST, 'test/tools/layers.oxlint.mjs', ...MANIFESTS]) {
      cpSync(join(ROOT, file), join(this.path, file));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.path, 'node_modules'), 'junction');
  }

  write(file: string, text: string): void {
    mkdirSync(dirname(join(this.path, file)), { recursive: true });
    writeFileSync(join(this.path, file), text);
  }

  lint(paths: readonly string[]): readonly Diagnostic[] {
    const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
    const args = [oxlint, '--format', 'json', ...paths];
    const { diagnostics } = JSON.parse(run(args, this.path)) as { diagnostics: readonly Diagnostic[] };
    return diagnostics.map((one) => ({ ...one, filename: one.filename.replaceAll('\\', '/') }));
  }

  /** Leaves only the rules of the layers, and allows no exceptions from them. */
  forgetExceptions(): void {
    const { jsPlugins, overrides } = JSON.parse(readFileSync(join(this.path, '.oxlintrc.json'), 'utf8'));
    const own = overrides.map(({ files, rules }: { files: string[]; rules: Record<string, unknown> }) => ({
      files,
      rules: Object.fromEntries(Object.entries(rules).filter(([name]) => name.startsWith('layers/'))),
    }));
    this.write('.oxlintrc.json', JSON.stringify({ jsPlugins, categories: { correctness: 'off' }, overrides: own }));
    const list = Object.entries(LIBRARIES).map(([source, layers]) => [source, { ...layers, exceptions: [] }]);
    this.write(LIST, JSON.stringify(Object.fromEntries(list)));
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** Runs a program that ends with an error code if it finds something. */
function run(args: readonly string[], cwd: string): string {
  try {
    return execFileSync(process.execPath, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

/** Finds what a message says: the file that must not be imported, or the whole message. */
function forbiddenIn({ message }: Diagnostic): string {
  return / must not import (\S+): /.exec(message)?.[1] ?? message;
}

describe.each(WITH_LAYERS)(
  'the layers of %s',
  (source, { layers, leaves, leavesOnLeaves, leavesOverFew, exceptions }) => {
    const entries = [...layers.flat(), ...leaves];
    let folder: LintFolder;
    let diagnostics: readonly Diagnostic[];

    beforeAll(() => {
      folder = new LintFolder();
      for (const entry of entries) {
        const others = entries.filter((other) => other !== entry).map((other) => `${source}/${fileOf(other)}`);
        const file = `${source}/${fileOf(entry)}`;
        folder.write(file, [...others, 'libs/other/src/seeded.ts'].map((other) => writeExport(file, other)).join(''));
      }
      diagnostics = folder.lint(['libs']);
    });

    afterAll(() => folder.remove());

    /** The file that stands for a layer. */
    function fileOf(entry: string): string {
      if (entry.endsWith('.ts')) return entry;
      return entry === '.' ? 'seeded.ts' : `${entry}/seeded.ts`;
    }

    function writeExport(from: string, to: string): string {
      const path = posix.relative(dirname(from), to).replace(/ts$/, 'js');
      return `export * from '${path.startsWith('.') ? path : `./${path}`}';\n`;
    }

    /** The layers that a layer must not import: all that do not come before it. */
    function listForbidden(entry: string): readonly string[] {
      const rank = layers.findIndex((layer) => [layer].flat().includes(entry));
      const few = leavesOverFew?.[entry];
      const notBefore = rank < 0 ? [] : layers.slice(rank).flat();
      const rest = few ? layers.flat().filter((layer) => !few.includes(layer)) : notBefore;
      const beneath = [entry, ...(leavesOnLeaves?.[entry] ?? [])];
      return [...rest, ...leaves].filter((other) => !beneath.includes(other));
    }

    function findSeeded(entry: string, rule: string): readonly string[] {
      const file = `${source}/${fileOf(entry)}`;
      return diagnostics.filter(({ code, filename }) => code === rule && filename === file).map(forbiddenIn);
    }

    it.each(entries)('should let %s import only what the list allows', (entry) => {
      const forbidden = listForbidden(entry).map((other) => fileOf(other).replace(/ts$/, 'js'));
      expect([...findSeeded(entry, 'layers(order)')].sort()).toEqual(forbidden.sort());
    });

    it.each(entries)('should let %s import no other library by its path', (entry) => {
      expect(findSeeded(entry, 'layers(own-sources)')).toEqual(['libs/other/src/seeded.js']);
    });

    it('should name folders that exist', () => {
      const folders = readdirSync(join(ROOT, source), { withFileTypes: true }).filter((entry) => entry.isDirectory());
      const files = layers.flat().filter((entry) => entry.endsWith('.ts'));
      for (const { name } of folders) expect(entries).toContain(name);
      for (const file of files) expect(existsSync(join(ROOT, source, file)), file).toBe(true);
    });

    it('should be kept by all sources, but for the listed exceptions', () => {
      const strict = new LintFolder();
      try {
        cpSync(join(ROOT, source), join(strict.path, source), { recursive: true });
        strict.forgetExceptions();
        const found = strict.lint([source]).map((one) => `${one.filename} -> ${source}/${forbiddenIn(one)}`);
        expect(found.sort()).toEqual(exceptions.map(({ from, to }) => `${source}/${from} -> ${source}/${to}`).sort());
      } finally {
        strict.remove();
      }
    });

    it('should have a reason for each exception', () => {
      for (const { reason } of exceptions) expect(reason).toMatch(/^[A-Z].{20,}\.$/);
    });
  },
);

describe('the packages', () => {
  it('should each import only those that are built before', () => {
    const order = ['kube-common', 'embedded-kube', 'nestjs-kopf', 'nestjs-kopf-simulation', 'nestjs-kopf-console'];
    for (const [source, { packages }] of Object.entries(LIBRARIES)) {
      const { name } = JSON.parse(readFileSync(join(ROOT, dirname(source), 'package.json'), 'utf8'));
      const rank = name === 'nestjs-kopf-cli' ? order.length : order.indexOf(name);
      expect(rank, name).toBeGreaterThanOrEqual(0);
      const own = source.endsWith('/page') ? ['nestjs-kopf-console'] : [];
      expect(
        packages.filter((each) => !own.includes(each) && !order.slice(0, rank).includes(each)),
        source,
      ).toEqual([]);
    }
  });

  it('should be those of all libraries', () => {
    const listed = new Set(Object.keys(LIBRARIES).map((source) => source.split('/')[1]));
    expect([...listed].sort()).toEqual(readdirSync(join(ROOT, 'libs')).sort());
  });
});

describe('the lint rules', () => {
  let folder: LintFolder;

  beforeAll(() => void (folder = new LintFolder()));
  afterAll(() => folder.remove());

  function lint(file: string, text: string): readonly Diagnostic[] {
    folder.write(file, text);
    return folder.lint([file]);
  }

  it.each([
    ['a bare timer', 'export const a = (): unknown => setTimeout(() => undefined, 1);\n', 'no-restricted-globals'],
    ['the time of the system', 'export const a = (): number => Date.now();\n', 'no-restricted-properties'],
    ['randomness of the system', 'export const a = (): number => Math.random();\n', 'no-restricted-properties'],
    ['a request past the transport', "export const a = (): unknown => fetch('/');\n", 'no-restricted-globals'],
  ])('should refuse %s in a library', (_what, text, rule) => {
    expect(lint('libs/kopf/src/objects/seeded.ts', text).map(({ code }) => code)).toEqual([`eslint(${rule})`]);
  });

  it.each([
    ['of a value', "import { A } from '../client/a.js';\nexport const a = new A();\n"],
    ['of a type', "import type { A } from '../client/a.js';\nexport type B = A;\n"],
    ['in the place of a type', "export type B = import('../client/a.js').A;\n"],
    ['on demand', "export const a = (): unknown => import('../client/a.js');\n"],
    ['and export at once', "export { A } from '../client/a.js';\n"],
    [
      'from a subfolder',
      "import type { A } from '../../client/http/a.js';\nexport type B = A;\n",
      'objects/live/seeded.ts',
    ],
  ])('should refuse an import from a later layer: %s', (_what, text, file = 'objects/seeded.ts') => {
    expect(lint(`libs/kopf/src/${file}`, text)).toEqual([
      expect.objectContaining({
        code: 'layers(order)',
        message: expect.stringMatching(
          /^\S+ must not import \S+: 'client' comes after 'objects' .* in test\/tools\/layers\.json/,
        ),
      }),
    ]);
  });

  it.each([
    ['a package that comes later', 'libs/kopf/src/client/seeded.ts', 'nestjs-kopf-console', 'must not import'],
    ['the package itself by its name', 'libs/kopf/src/client/seeded.ts', 'nestjs-kopf/testing', 'must not import'],
    ['a package that comes later, in a tool', 'libs/kopf-console/src/seeded.ts', 'nestjs-kopf-cli', 'must not import'],
    ['a file of a package', 'libs/kopf-cli/src/seeded.ts', 'nestjs-kopf/dist/client/index.js', 'is not an entry point'],
    ['a file of a package, in the page', 'libs/kopf-console/page/seeded.ts', 'nestjs-kopf/src/x.js', 'is not an entry'],
  ])('should refuse to import %s', (_what, file, specifier, reason) => {
    const found = lint(file, `export type { A } from '${specifier}';\n`);
    expect(found).toEqual([
      expect.objectContaining({ code: 'layers(packages)', message: expect.stringContaining(reason) }),
    ]);
  });

  it('should refuse files of other packages by their paths', () => {
    const found = lint('libs/kopf-console/src/seeded.ts', "export type { A } from '../../kopf/src/a.js';\n");
    expect(found.map(({ code }) => code)).toEqual(['layers(own-sources)']);
  });

  it('should refuse a folder that has no place among the layers', () => {
    const [{ message }] = lint('libs/kopf/src/drawer/seeded.ts', 'export const a = 1;\n');
    expect(message).toBe(
      "The folder 'drawer' of libs/kopf/src has no place among the layers in test/tools/layers.json.",
    );
  });

  it.each([
    [
      'of values',
      "import { a } from './first.js';\nexport const b = (): unknown => a;\n",
      "import { b } from './second.js';\nexport const a = (): unknown => b;\n",
    ],
    [
      'of types',
      "import type { A } from './first.js';\nexport interface B {\n  a: A;\n}\n",
      "import type { B } from './second.js';\nexport interface A {\n  b: B;\n}\n",
    ],
  ])('should refuse a cycle %s', (_what, second, first) => {
    folder.write('libs/kopf/src/objects/second.ts', second);
    expect(lint('libs/kopf/src/objects/first.ts', first).map(({ code }) => code)).toEqual(['import(no-cycle)']);
  });

  it.each(Object.keys(LIBRARIES))('should refuse a cycle of types in %s', (source) => {
    const [first, second] = [`${source}/kinds/first.ts`, `${source}/kinds/second.ts`];
    folder.write(second, "import type { A } from './first.js';\nexport interface B {\n  a: A;\n}\n");
    const found = lint(first, "import type { B } from './second.js';\nexport interface A {\n  b: B;\n}\n");
    expect(found.map(({ code }) => code)).toContain('import(no-cycle)');
  });
});
