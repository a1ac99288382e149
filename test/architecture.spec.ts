import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, posix } from 'node:path';

const ROOT = join(import.meta.dirname, '..');
const SOURCES = join(ROOT, 'libs/kopf/src');

/** From the top to the bottom: a layer imports only from itself and from what stands above it. */
const LAYERS = [
  ['common'],
  ['kopf.tokens.ts'],
  ['objects'],
  ['resources'],
  ['state'],
  ['client'],
  ['contexts'],
  ['decorators'],
  ['registry'],
  ['execution'],
  ['coordination'],
  ['indexing'],
  ['background'],
  ['events'],
  ['activities'],
  ['watching'],
  ['handling'],
  ['admission'],
  ['discovery'],
  ['kopf.options.ts'],
  ['operator'],
  ['module'],
];

/** Imports from below that are left, each of types only. */
const EXCEPTIONS = [
  'common/settings/persistence.settings.ts imports state/progress.interface.js',
  'common/settings/admission.settings.ts imports admission/servers/admission-server.interface.js',
  'objects/essences.ts imports state/progress.interface.js',
  'contexts/subhandlers.interface.ts imports decorators/handler-options.interface.js',
  'contexts/invocation.ts imports registry/handler.js',
  'contexts/invocation.ts imports execution/handler.progress.js',
  'contexts/change-handler.context.ts imports execution/subhandling.js',
];

/** Folders that only the public surface imports; each may import any layer. */
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
  const top = file.split('/')[0].replace(/\.js$/, '.ts');
  return file.includes('/') || LAYERS.flat().includes(top) ? top : 'module';
}

function findViolations(imports: readonly Import[]): readonly string[] {
  const rank = (file: string): number => LAYERS.findIndex((layer) => layer.includes(folderOf(file)));
  return imports
    .filter(({ from, to }) => {
      if (from === 'index.ts' || folderOf(from) === folderOf(to)) return false;
      if (LEAVES.includes(folderOf(to))) return true;
      return !LEAVES.includes(folderOf(from)) && rank(to) > rank(from);
    })
    .map(({ from, to }) => `${from} imports ${to}`)
    .filter((violation) => !EXCEPTIONS.includes(violation));
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
    expect(findViolations([{ from: 'objects/a.ts', to: 'client/b.js' }])).toEqual(['objects/a.ts imports client/b.js']);
    expect(findViolations([{ from: 'handling/a.ts', to: 'testing/b.js' }])).toHaveLength(1);
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
    ['a bare timer', 'export const a = (): unknown => setTimeout(() => undefined, 1);\n', 'no-restricted-globals'],
    ['the time of the system', 'export const a = (): number => Date.now();\n', 'no-restricted-properties'],
    ['chance of the system', 'export const a = (): number => Math.random();\n', 'no-restricted-properties'],
    ['a request past the transport', "export const a = (): unknown => fetch('/');\n", 'no-restricted-globals'],
  ])('should refuse %s in a library', (_what, text, rule) => {
    expect(lint('libs/kopf/src/objects/seeded.ts', text)).toContain(rule);
  });
});
