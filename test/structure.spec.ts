import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..');

function listFiles(folder: string): readonly string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => /\.tsx?$/.test(file));
}

function listFolders(folder: string): readonly string[] {
  const entries = readdirSync(join(ROOT, folder), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function specifiersOf(file: string): readonly string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [...text.matchAll(/(?:from |import |import\(|mock\()'([^']+)'/g)].map(([, specifier]) => specifier);
}

describe('the places of the tests', () => {
  it.each([
    ['kopf', /embedded-kube/],
    ['embedded-kube', /nestjs-kopf|\/kopf\/src\//],
  ])('should be outside of libs/%s for whatever needs both libraries', (library, other) => {
    const files = listFiles(`libs/${library}/src`);
    expect(files.filter((file) => file.endsWith('.spec.ts')).length).toBeGreaterThan(20);
    expect(files.filter((file) => specifiersOf(file).some((specifier) => other.test(specifier)))).toEqual([]);
  });

  it('should be folders of test/e2e with the names of the folders of libs/kopf/src', () => {
    const features = listFolders('libs/kopf/src');
    expect(listFolders('test/e2e').filter((folder) => !features.includes(folder))).toEqual([]);
    expect(readdirSync(join(ROOT, 'test/e2e')).filter((name) => name.endsWith('.ts'))).toEqual([]);
  });

  it('should be test/conformance for suites that run on embedded-kube and on a real control plane', () => {
    const suites = listFiles('test/conformance').filter((file) => file.endsWith('.suite.ts'));
    expect(suites.length).toBeGreaterThan(5);
    for (const folder of new Set(suites.map((file) => file.replace(/\/[^/]+$/, '')))) {
      const specs = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('-spec.ts'));
      const servers = specs.map((name) => /\.(e2e|cluster)-spec\.ts$/.exec(name)?.[1]);
      expect(servers, folder).toEqual(expect.arrayContaining(['e2e', 'cluster']));
    }
  });

  it('should be files of which one is run by each configuration only', () => {
    const specs = listFiles('test').filter((file) => file.endsWith('spec.ts'));
    expect(specs.filter((file) => !/\.(spec|e2e-spec|cluster-spec|plans-spec|browser-spec)\.ts$/.test(file))).toEqual(
      [],
    );
    // The fast configuration leaves this folder out.
    expect(specs.filter((file) => /^test\/cluster\/.*\.(spec|e2e-spec)\.ts$/.test(file))).toEqual([]);
  });
});

describe('the comments that document symbols', () => {
  // "What is sent to the server." names nothing that is or is done: it has to be read twice, and no search finds it.
  const headless = /\/\*\*[\s*]+(?:What|Whether|How)\b[^\n]*/g;

  it('should be noticed if they begin with a question word', () => {
    const found = [
      '/** What is sent. */',
      '/**\n   * Whether it is sent.\n   */',
      '/** Tells whether it is sent: see How. */',
    ];
    expect(found.map((text) => text.match(headless)?.length ?? 0)).toEqual([1, 1, 0]);
  });

  it.each(['libs/kopf/src', 'libs/kopf/console', 'libs/embedded-kube/src', 'apps', 'test'])(
    'should begin with what a symbol is: %s',
    (folder) => {
      const files = listFiles(folder).filter((file) => !/\/(node_modules|dist)\//.test(file));
      expect(files.length).toBeGreaterThan(20);
      const lines = files
        .filter((file) => file !== 'test/structure.spec.ts')
        .flatMap((file) =>
          (readFileSync(join(ROOT, file), 'utf8').match(headless) ?? []).map((line) => `${file}: ${line}`),
        );
      expect(lines).toEqual([]);
    },
  );
});
