import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'libs/kopf/src');

/** From the left to the right: a layer imports only from itself and from what stands left of it. */
const LAYERS = [
  ['decorators', 'interfaces', 'enums', 'errors', 'utils', 'settings'],
  ['structs'],
  ['client', 'persistence'],
  ['registry'],
  ['execution'],
  ['engines'],
  ['reactor'],
  ['discovery'],
  ['runner'],
  ['admission'],
  ['module'],
];

/** Folders that only the public surface imports; each may import any layer up to the runner. */
const LEAVES = ['hierarchies', 'health', 'metrics', 'testing', 'cli', 'manifests'];

interface Import {
  readonly from: string;
  readonly to: string;
}

function listImports(): readonly Import[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
  return files.flatMap((from) => {
    const text = readFileSync(join(SOURCES, from), 'utf8');
    return [...text.matchAll(/from '(\.[^']+)'|import\('(\.[^']+)'\)/g)].map(([, first, second]) => ({
      from,
      to: posix.join(dirname(from), first ?? second),
    }));
  });
}

function folderOf(file: string): string {
  return file.includes('/') ? file.split('/')[0] : 'module';
}

function findViolations(imports: readonly Import[]): readonly string[] {
  const rank = (file: string): number => LAYERS.findIndex((layer) => layer.includes(folderOf(file)));
  return imports
    .filter(({ from, to }) => {
      if (from === 'index.ts' || folderOf(from) === folderOf(to)) return false;
      if (LEAVES.includes(folderOf(to))) return true;
      return !LEAVES.includes(folderOf(from)) && rank(to) > rank(from);
    })
    .map(({ from, to }) => `${from} imports ${to}`);
}

describe('the layers of nestjs-kopf', () => {
  it('should know every folder', () => {
    const folders = readdirSync(SOURCES, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    for (const { name } of folders) expect([...LAYERS.flat(), ...LEAVES]).toContain(name);
  });

  it('should import only what stands left', () => {
    expect(findViolations(listImports())).toEqual([]);
  });

  it('should notice a violation', () => {
    expect(findViolations([{ from: 'structs/a.ts', to: 'client/b.js' }])).toEqual(['structs/a.ts imports client/b.js']);
    expect(findViolations([{ from: 'reactor/a.ts', to: 'testing/b.js' }])).toHaveLength(1);
  });
});

describe('the lint rules', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'kopf-lint-'));
    cpSync(join(ROOT, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'junction');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function lint(file: string, text: string): string {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
    try {
      const oxlint = join(ROOT, 'node_modules/oxlint/bin/oxlint');
      return execFileSync(process.execPath, [oxlint, file], { cwd: folder, encoding: 'utf8' });
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  }

  it.each([
    ['an import from the right', "import { b } from '../client/b.js';\nexport const a = b;\n", 'no-restricted-imports'],
    ['a bare timer', 'export const a = (): unknown => setTimeout(() => undefined, 1);\n', 'no-restricted-globals'],
    ['the time of the system', 'export const a = (): number => Date.now();\n', 'no-restricted-properties'],
    ['chance of the system', 'export const a = (): number => Math.random();\n', 'no-restricted-properties'],
    ['a request past the transport', "export const a = (): unknown => fetch('/');\n", 'no-restricted-globals'],
  ])('should refuse %s in a library', (_what, text, rule) => {
    expect(lint('libs/kopf/src/structs/seeded.ts', text)).toContain(rule);
  });

  it.each([
    ['libs/kopf/src/runner/seeded.ts', '../admission/b.js'],
    ['libs/kopf/src/engines/admission/seeded.ts', '../../admission/b.js'],
  ])('should refuse what is mounted in applications, but for the module: %s', (file, target) => {
    expect(lint(file, `export { a } from '${target}';\n`)).toContain('no-restricted-imports');
  });

  it.each([
    ['libs/kopf/src/structs/fine.ts', '../utils/b.js'],
    ['libs/kopf/src/reactor/fine.ts', '../engines/admission/b.js'],
  ])('should accept an import from the left: %s', (file, target) => {
    expect(lint(file, `export { a } from '${target}';\n`)).toContain('Found 0 warnings and 0 errors');
  });
});
