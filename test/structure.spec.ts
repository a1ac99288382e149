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

  it('should be folders of test/e2e with the names of the tools, and of the folders of libs/kopf/src and libs/kopf-cli/src', () => {
    const tools = listFolders('libs').map((name) => name.replace(/^kopf-/, ''));
    const features = [...tools, ...listFolders('libs/kopf/src'), ...listFolders('libs/kopf-cli/src')];
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

/** The folders that are products of their own, in which a name may mean something else. */
const PRODUCTS = /^libs\/kopf\/src\/(cli|console|manifests|schematics|simulation)\//;

describe('the names of nestjs-kopf', () => {
  it('should each stand for one thing: no two files export declarations of one name', () => {
    const declared = new Map<string, string[]>();
    for (const file of listFiles('libs/kopf/src')) {
      if (file.endsWith('.spec.ts') || PRODUCTS.test(file)) continue;
      const text = readFileSync(join(ROOT, file), 'utf8');
      const pattern =
        /^export (?:declare |abstract |async )*(?:class|interface|type|function\*?|const|let|enum) ([\w$]+)/gm;
      for (const name of new Set([...text.matchAll(pattern)].map(([, found]) => found))) {
        declared.set(name, [...(declared.get(name) ?? []), file]);
      }
    }
    expect(declared.size).toBeGreaterThan(500);
    expect([...declared].filter(([, files]) => files.length > 1)).toEqual([]);
  });
});
