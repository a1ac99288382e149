import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { PUBLISHED_FOLDERS } from '../tools/libraries.mjs';
import { ConsumerProject } from './consumer.project.js';
import { entryPoints, packLibraries, type PackedLibrary } from './packed.library.js';

/** The entry points of nestjs-kopf that need an optional peer. */
const NEED_OPTIONAL_PEERS = ['./health', './metrics', './tracing'];

describe('the published packages, installed by npm', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'packages-'));
    libraries = await packLibraries(folder);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(['module', 'commonjs'] as const)(
    'should run an operator in an empty Nest project of type %s',
    async (type) => {
      const project = new ConsumerProject(join(folder, type), type);
      project.write();
      await project.install(libraries);
      expect(project.packages).toEqual(expect.arrayContaining(['nestjs-kopf', 'embedded-kube']));
      expect(await project.call('embedded-kube', '--help')).toMatch(/^Usage: embedded-kube /);
      await project.compile();
      expect(await project.run()).toBe('Hello, world!');
    },
  );

  describe.each(PUBLISHED_FOLDERS)('libs/%s alone', (name) => {
    it('should be loaded by each entry point, with what it requires and nothing else', async () => {
      const library = libraries.find(({ source }) => basename(source) === name)!;
      const needed = withRequired(library);
      const project = new ConsumerProject(join(folder, `alone-${name}`), 'module');
      project.write();
      // npm asks the registry for an optional peer that several packages have, where those of this repository may not be published yet.
      await project.install(needed, {}, name === 'kopf-cli' ? ['--legacy-peer-deps'] : []);
      const others = libraries.filter((each) => !needed.includes(each)).map(({ manifest }) => manifest.name);
      expect(others.filter((other) => project.packages.includes(other))).toEqual([]);
      if (name !== 'kopf-cli') {
        expect(['commander', 'node-diff3'].filter((each) => project.packages.includes(each))).toEqual([]);
      }
      const optional = Object.entries(library.manifest.peerDependenciesMeta ?? {}).filter(
        ([, { optional }]) => optional,
      );
      const paths = entryPoints(library.manifest)
        .map(([path]) => path)
        .filter((path) => optional.length === 0 || !NEED_OPTIONAL_PEERS.includes(path));
      expect(await project.compareInstances(paths.map((path) => `${library.manifest.name}${path.slice(1)}`))).toEqual(
        paths.map(() => 'same'),
      );
    });
  });

  /** A package with those of this repository that it requires. */
  function withRequired(library: PackedLibrary): readonly PackedLibrary[] {
    const { dependencies, peerDependencies, peerDependenciesMeta } = library.manifest;
    const peers = Object.keys(peerDependencies ?? {}).filter((peer) => !peerDependenciesMeta?.[peer]?.optional);
    const names = [...Object.keys(dependencies ?? {}), ...peers];
    return [library, ...libraries.filter(({ manifest }) => names.includes(manifest.name))];
  }

  it('should run an operator on Nest 11, and log its lines', async () => {
    const project = new ConsumerProject(join(folder, 'nest-11'), 'commonjs');
    project.write();
    await project.install(libraries, {
      '@nestjs/common': '11.1',
      '@nestjs/core': '11.1',
      '@nestjs/testing': '11.1',
    });
    expect(project.versionOf('@nestjs/core')).toMatch(/^11\.1\./);
    expect(await project.compile()).toEqual([]);
    expect((await project.runWithLogs()).split('\n')).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/ LOG \[Kopf\] The operator is ready: it watches 0 objects\.$/),
        expect.stringMatching(/DEBUG \[GreetingOperator\] \[default\/world\] Handler 'greet' is invoked\.$/),
        expect.stringMatching(/ LOG \[Kopf\] \[default\/world\] Creation is processed: 1 succeeded; 0 failed\.$/),
        'Hello, world!',
      ]),
    );
  });
});
