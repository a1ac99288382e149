import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { Tree } from '@angular-devkit/schematics';
import { SchematicTestRunner, UnitTestTree } from '@angular-devkit/schematics/testing';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { byForm } from '../support/runner/test.form.js';
import { PUBLISHED_FOLDERS } from '../tools/libraries.mjs';
import { entryPoints, packLibraries, targetsOf, type Manifest, type PackedLibrary } from './packed.library.js';

const execute = promisify(execFile);

const LIBRARIES = join(import.meta.dirname, '../../libs');

/** The entry points whose types are compiled for each module resolution in the short form. */
const SAMPLE = ['.', './health', './package.json'];

/** The folders of the entry points that are named by what users look for, not by the concept in the sources. */
const FOLDERS: Readonly<Record<string, string>> = {
  './crd': 'custom-resources',
  './storages': 'state',
  './webhooks': 'admission',
};

/** The packages that each package of this repository imports of this repository. */
const IMPORTED: Readonly<Record<string, readonly string[]>> = {
  'embedded-kube': [],
  kopf: [],
  'kopf-simulation': ['nestjs-kopf'],
  'kopf-console': ['nestjs-kopf'],
  'kopf-cli': ['nestjs-kopf', 'nestjs-kopf-console', 'nestjs-kopf-simulation'],
};

/** What a file imports, without relative paths and Node's own modules. */
function specifiersOf(text: string): readonly string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(|\brequire\()['"]([@\w./:-]+)['"](?=\s*[;,)]|$)/gm;
  return [...text.matchAll(pattern)]
    .map(([, name]) => name)
    .filter((name) => !name.startsWith('.') && !isBuiltin(name));
}

function packageOf(specifier: string): string {
  return specifier.split('/', specifier.startsWith('@') ? 2 : 1).join('/');
}

/** The packages that a file imports. */
function importedPackages(text: string): readonly string[] {
  return specifiersOf(text).map(packageOf);
}

/** The files of a package that a file of it imports. */
function importedFiles(text: string, file: string): readonly string[] {
  const pattern = /(?:\bfrom\s+|\bimport\s+|\bimport\(|\brequire\()['"](\.[^'"]+)['"]/g;
  return [...text.matchAll(pattern)].map(([, path]) => join(dirname(file), path));
}

/** The packages that are loaded with a file of modules; what it imports later, by `import()`, is not. */
function packagesLoadedWith(library: PackedLibrary, entry: string): ReadonlySet<string> {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    const text = readFileSync(join(library.folder, file), 'utf8');
    for (const [, name] of text.matchAll(/^(?:import|export)\b[^'"\n]*['"]([^'"\n]+)['"];$/gm)) {
      if (name.startsWith('.')) files.add(join(dirname(file), name));
      else packages.add(name);
    }
  }
  return packages;
}

/** Whether a bundle only exports what is in other ones, so that it has no source. */
function isForwarding(text: string): boolean {
  const forms = [
    /^import "[^"]*";$/,
    /^export \{[^}]*\} from "[^"]*";$/,
    /^Object\.defineProperty\(exports, Symbol\.toStringTag, \{ value: "Module" \}\);$/,
    /^const \w+ = require\("[^"]*"\);$/,
    /^exports\.\w+ = \w+\.\w+;$/,
  ];
  return text
    .trim()
    .split('\n')
    .every((line) => forms.some((form) => form.test(line)));
}

function optionalPeers({ peerDependenciesMeta = {} }: Manifest): readonly string[] {
  return Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name].optional);
}

/** Leaves comments out: examples in the documentation may import anything. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
}

describe('the published packages', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'packages-'));
    libraries = await packLibraries(folder);
  }, 240_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const read = (library: PackedLibrary, file: string): string => readFileSync(join(library.folder, file), 'utf8');

  function importsOf(library: PackedLibrary, pattern: RegExp): ReadonlySet<string> {
    const files = library.files.filter((file) => pattern.test(file));
    return new Set(files.flatMap((file) => importedPackages(withoutComments(read(library, file)))));
  }

  /** The packages that the commands and the entry points need, but for those that are left out. */
  function neededBy(library: PackedLibrary, leftOut: readonly string[]): ReadonlySet<string> {
    const entries = entryPoints(library.manifest).filter(([path]) => !leftOut.includes(path));
    const targets = entries.flatMap(([, conditions]) => targetsOf(conditions)).map((path) => path.replace(/^\.\//, ''));
    const commands = library.files.filter((file) => file.startsWith('bin/'));
    // What is imported is added, and looked at in its turn.
    const files = new Set([...commands, ...targets].filter((file) => library.files.includes(file)));
    const packages = new Set<string>();
    for (const file of files) {
      const text = withoutComments(read(library, file));
      for (const name of importedPackages(text)) packages.add(name);
      for (const path of importedFiles(text, file)) {
        const declaration = path.replace(/\.js$/, '.d.ts');
        const found = [file.endsWith('.d.ts') ? declaration : path, path].find((each) => library.files.includes(each));
        if (found) files.add(found);
      }
    }
    return packages;
  }

  describe.each([...PUBLISHED_FOLDERS.entries()])('package %i, of libs/%s', (index, name) => {
    it('should hold the compiled library, and nothing else of the workspace', () => {
      const { manifest, files } = libraries[index];
      expect(manifest.name).toBe(name.replace(/^kopf/, 'nestjs-kopf'));
      expect(files.length).toBeGreaterThan(20);
      const known = [
        /^(package\.json|README\.md|LICENSE|bin\/[\w-]+\.js)$/,
        /^dist\/(.*\.(js|cjs|js\.map|cjs\.map|d\.ts|d\.cts)|THIRD-PARTY-LICENSES\.txt)$/,
        /^dist\/console-page\/(index\.html|assets\/[\w-]+\.(css|svg)|THIRD-PARTY-LICENSES\.txt)$/,
        /^schematics\/(collection|[\w-]+\/schema)\.json$/,
        /^schematics\/[\w-]+\/files\/.*\.ts\.template$/,
      ];
      expect(files.filter((file) => !known.some((pattern) => pattern.test(file)))).toEqual([]);
      expect(files.filter((file) => /\bspec\b|vitest/.test(file))).toEqual([]);
      for (const file of files.filter((each) => /\.c?js$/.test(each))) {
        expect(read(libraries[index], file)).not.toMatch(/\/src\/|vitest/);
      }
    });

    it('should load the libraries of certificates, of YAML, of cron, and of RE2 only when they are used', () => {
      const entries = entryPoints(libraries[index].manifest).map(([, target]) => target.default);
      const loaded = entries.flatMap((entry) => [...packagesLoadedWith(libraries[index], entry)]);
      expect(loaded.length).toBeGreaterThan(0);
      if (name === 'kopf') expect(loaded).toContain('class-validator');
      expect(loaded).not.toContain('pkijs');
      // Only credentials of a kubeconfig are in YAML; schedules of timers and patterns of logs need their libraries only where there are any.
      if (name === 'kopf')
        for (const unused of ['js-yaml', 'croner', 're2js'])
          expect(packagesLoadedWith(libraries[index], './dist/index.js')).not.toContain(unused);
    });

    it('should have a file for each condition of each export, and its commands', () => {
      const { manifest, folder: root } = libraries[index];
      for (const [path, target] of Object.entries(manifest.exports)) {
        // The sources are not published: their condition is that of this workspace.
        const published = targetsOf(target).filter((file) => !file.startsWith('./src/'));
        for (const file of published) expect(existsSync(join(root, file)), `${path}: ${file}`).toBe(true);
      }
      for (const file of Object.values(manifest.bin ?? {})) {
        expect(read(libraries[index], file)).toMatch(/^#!\/usr\/bin\/env node\n/);
      }
    });

    it('should give modules to Node.js, and CommonJS only to what cannot require() modules', () => {
      const { manifest } = libraries[index];
      for (const [path, target] of entryPoints(manifest)) {
        const folder = path === '.' ? '' : `${FOLDERS[path] ?? path.slice('./'.length)}/`;
        const file = `./dist/${folder}index`;
        // The first condition that matches is taken, so that the order counts.
        expect(JSON.stringify(target)).toBe(
          JSON.stringify({
            'nestjs-kopf-source': `${file.replace('dist', 'src')}.ts`,
            'module-sync': { types: `${file}.d.ts`, default: `${file}.js` },
            require: { types: `${file}.d.cts`, default: `${file}.cjs` },
            types: `${file}.d.ts`,
            default: `${file}.js`,
          }),
        );
      }
    });

    it('should have the types of all exports also for compilers that do not read exports', () => {
      const { manifest } = libraries[index];
      const versions = Object.fromEntries(
        entryPoints(manifest).flatMap(([path, { types }]) =>
          path === '.' ? [] : [[path.slice('./'.length), [types]]],
        ),
      );
      expect(manifest.main).toBe('./dist/index.cjs');
      expect(manifest.types).toBe('./dist/index.d.ts');
      expect(manifest.typesVersions ?? { '*': {} }).toEqual({ '*': versions });
    });

    it('should have maps that lead to its sources', () => {
      const { files } = libraries[index];
      const bundles = files
        .filter((file) => /^dist\/(?!console-page\/).*\.c?js$/.test(file) && !file.includes('rolldown-runtime'))
        .filter((file) => !isForwarding(read(libraries[index], file)));
      expect(bundles.length).toBeGreaterThan(0);
      for (const file of bundles) {
        expect(read(libraries[index], file)).toContain(`\n//# sourceMappingURL=${basename(file)}.map`);
        const map = JSON.parse(read(libraries[index], `${file}.map`)) as {
          sources: string[];
          sourcesContent?: unknown;
        };
        expect(map.sourcesContent).toBeUndefined();
        const own = map.sources.filter((source) => !source.includes('node_modules'));
        expect(own.length).toBeGreaterThan(0);
        for (const source of own) {
          expect(source).toMatch(/^(\.\.\/)+src\/.*\.ts$/);
          // Those of the private package are beside those of the library.
          const path = join(name, dirname(file), source);
          const shared = path.replace(/^[\w-]+\/src\/kube-common\//, 'kube-common/src/');
          expect(existsSync(join(LIBRARIES, shared)), `${file}: ${source}`).toBe(true);
        }
      }
    });

    it('should have no problem that publint finds', async () => {
      const tarball = new Uint8Array(readFileSync(libraries[index].tarball)).buffer;
      const { messages, pkg } = await publint({ pack: { tarball }, level: 'suggestion', strict: true });
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
    });

    it('should have types that are right in every module resolution', { timeout: 240_000 }, async () => {
      const tarball = createPackageFromTarballData(readFileSync(libraries[index].tarball));
      const { exports } = libraries[index].manifest;
      // The first entry point, one of a folder, and the manifest; the others are the same but for the name of the folder.
      const sample = SAMPLE.filter((path) => path in exports);
      const analysis = await checkPackage(tarball, byForm({ short: { entrypoints: sample }, long: {} }));
      if (!analysis.types) throw new Error('The package has no types.');
      expect(Object.keys(analysis.entrypoints)).toEqual(byForm({ short: sample, long: Object.keys(exports) }));
      expect(analysis.problems).toEqual([]);
    });

    it('should be published for everybody, with its provenance', () => {
      expect(libraries[index].manifest.publishConfig).toEqual({ access: 'public', provenance: true });
    });

    it('should have its licence, and those of the packages that became part of it', () => {
      const library = libraries[index];
      const licence = readFileSync(join(library.source, '../../LICENSE'), 'utf8');
      expect(library.manifest.license).toBe('MIT');
      expect(read(library, 'LICENSE')).toBe(licence);
      const maps = library.files.filter((file) => file.endsWith('.cjs.map')).map((file) => read(library, file));
      const inlined = maps.flatMap((map) => [...map.matchAll(/node_modules\/((?:@[^/"]+\/)?[^/"]+)\//g)]);
      const file = 'dist/THIRD-PARTY-LICENSES.txt';
      expect(library.files.includes(file)).toBe(inlined.length > 0);
      const notices = inlined.length > 0 ? read(library, file) : '';
      for (const [, inlinedName] of inlined) expect(notices).toMatch(new RegExp(`^${inlinedName} \\d+\\.`, 'm'));
    });

    it('should have commands that npm can link before the library is built, and that say so', async () => {
      const { manifest, source } = libraries[index];
      for (const [command, file] of Object.entries(manifest.bin ?? {})) {
        expect(file).not.toContain('dist');
        const unbuilt = join(folder, 'unbuilt', name);
        mkdirSync(join(unbuilt, 'bin'), { recursive: true });
        cpSync(join(source, 'package.json'), join(unbuilt, 'package.json'));
        cpSync(join(source, file), join(unbuilt, file));
        expect(statSync(join(source, file)).mode & 0o111).toBeGreaterThan(0);
        // Needs nothing that is built: see test/e2e/cli/which-package.e2e-spec.ts.
        if (command === 'nestjs-kopf') continue;
        await expect(execute(process.execPath, [join(unbuilt, file)])).rejects.toMatchObject({
          code: 1,
          stderr: `${command} is not built yet. In the workspace, run: npm run build -- ${basename(source)}\n`,
        });
      }
    });

    it('should declare every package that it imports', () => {
      const { manifest } = libraries[index];
      const declared = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
      const imported = importsOf(libraries[index], /\.(js|cjs|d\.ts)$/);
      expect(imported.size).toBeGreaterThan(0);
      expect([...imported].filter((each) => !declared.includes(each))).toEqual([]);
    });

    it('should not need optional peers for its types', () => {
      const optional = optionalPeers(libraries[index].manifest);
      const imported = importsOf(libraries[index], /^(?!dist\/(health|metrics|plugin|testing|tracing)\/).*\.d\.ts$/);
      expect([...imported].filter((each) => optional.includes(each))).toEqual([]);
    });

    it('should need Terminus for nothing but the health', () => {
      const imported = importsOf(libraries[index], /^(?!dist\/health\/).*\.(js|cjs|d\.ts)$/);
      expect([...imported]).not.toContain('@nestjs/terminus');
    });

    it.runIf(name === 'kopf')('should need prom-client for nothing but the metrics', () => {
      const imported = importsOf(libraries[index], /^(?!dist\/metrics\/).*\.(js|d\.ts)$/);
      expect([...imported]).not.toContain('prom-client');
    });

    it("should need OpenTelemetry's API for nothing but the tracing", () => {
      const imported = importsOf(libraries[index], /^(?!dist\/tracing\/).*\.(js|d\.ts)$/);
      expect([...imported]).not.toContain('@opentelemetry/api');
    });

    it("should need Nest's testing module for nothing but the testing kit and the simulation", () => {
      const isSimulation = name === 'kopf-simulation';
      expect([...neededBy(libraries[index], ['./testing'])].includes('@nestjs/testing')).toBe(isSimulation);
      expect([...neededBy(libraries[index], [])].includes('@nestjs/testing')).toBe(isSimulation || name === 'kopf');
    });

    it('should need commander and node-diff3 for nothing but the command', () => {
      const imported = [...importsOf(libraries[index], /\.(js|cjs|d\.ts)$/)];
      expect(['commander', 'node-diff3'].filter((each) => imported.includes(each))).toEqual(
        name === 'kopf-cli' ? ['commander', 'node-diff3'] : [],
      );
    });

    it('should import other packages of this repository by their entry points only', () => {
      const own = new Map(
        libraries.map(({ manifest }) => [manifest.name, entryPoints(manifest).map(([path]) => path)]),
      );
      const specifiers = libraries[index].files
        .filter((file) => /\.(js|cjs|d\.ts)$/.test(file))
        .flatMap((file) => specifiersOf(withoutComments(read(libraries[index], file))))
        .filter((specifier) => own.has(packageOf(specifier)));
      const unknown = specifiers.filter(
        (specifier) => !own.get(packageOf(specifier))!.includes(`.${specifier.slice(packageOf(specifier).length)}`),
      );
      expect(unknown).toEqual([]);
      expect(new Set(specifiers.map(packageOf))).toEqual(new Set(IMPORTED[name]));
    });
  });

  it("should have a collection that Nest's command can run", async () => {
    const { folder: root, manifest } = libraries.find(({ manifest: { name } }) => name === 'nestjs-kopf')!;
    const runner = new SchematicTestRunner('nestjs-kopf', join(root, manifest.schematics!));
    const project = new UnitTestTree(Tree.empty());
    project.create('/package.json', JSON.stringify({ name: 'consumer' }));
    project.create('/src/app.module.ts', '@Module({})\nexport class AppModule {}\n');
    const added = await runner.runSchematic('nest-add', {}, project);
    expect(added.readText('/src/app.module.ts')).toContain('imports: [KopfModule.forRoot()]');
    expect(JSON.parse(added.readText('/package.json'))).toMatchObject({
      devDependencies: { 'embedded-kube': `^${manifest.version}` },
    });
    for (const kind of ['operator', 'webhook', 'daemon']) {
      const { files } = await runner.runSchematic(kind, { name: 'claims' }, added);
      expect(files).toEqual(
        expect.arrayContaining([`/src/claims/claims.${kind}.ts`, `/src/claims/claims.${kind}.spec.ts`]),
      );
    }
    const { files } = await runner.runSchematic('resource', { name: 'tenant' }, added);
    expect(files).toEqual(
      expect.arrayContaining(['/src/tenant/tenant.resource.ts', '/src/tenant/tenant.module.spec.ts']),
    );
    await expect(runner.runSchematic('operator', { name: 'claims', flat: 'maybe' }, added)).rejects.toThrow(/flat/);
  });
});
