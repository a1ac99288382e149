import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedKube } from 'embedded-kube';
import { GUIDES } from '../docs/support/pages.js';
import { eventually } from '../support/time/eventually.js';
import { byForm } from '../support/runner/test.form.js';
import { ConsumerProject, type ModuleSystem } from './consumer.project.js';
import { entryPoints, packLibraries, type PackedLibrary } from './packed.library.js';

/**
 * The ways to import the libraries, each with a version of the compiler. The short form has the newest way with the native compiler, which
 * takes a third of the processor time, and the oldest one, which only the other compiler knows; the way between is that of both in parts.
 */
const CONSUMERS = byForm<readonly (readonly [type: ModuleSystem, compiler: 6 | 7])[]>({
  short: [
    ['module', 7],
    ['classic', 6],
  ],
  long: [
    ['module', 6],
    ['commonjs', 6],
  ],
});

describe('the published packages', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'consumers-'));
    libraries = await packLibraries(folder);
  }, 240_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  describe.each(CONSUMERS)('in an empty Nest project of type %s, with TypeScript %s', (type, compiler) => {
    let project: ConsumerProject;

    beforeAll(() => {
      project = new ConsumerProject(join(folder, type), type);
      project.write();
      project.link(libraries);
    });

    it('should compile without errors in their types', { timeout: 240_000 }, async () => {
      const errors = await project.compile(compiler);
      const own = errors.filter(
        (line) => !/^(\.\.\/)*[^(]*node_modules\/(?!(nestjs-kopf|embedded-kube)[\w-]*\/dist)/.test(line),
      );
      expect(own).toEqual([]);
      expect(project.program).toMatch(type === 'module' ? /^import .*'nestjs-kopf'/m : /require\("nestjs-kopf"\)/);
    });

    it('should run an operator on an API server in the process', { timeout: 60_000 }, async () => {
      expect(await project.run()).toBe('Hello, world!');
    });

    it('should name the code because of which simulated runs differ', { timeout: 60_000 }, async () => {
      // Only here are the files those of the published package.
      expect(await project.run(join(folder, type, 'dist/random.simulation.js'))).toMatch(
        /\. RandomOperator\.create \(random\.simulation\.js:\d+\) calls Math\.random\(\): use KOPF_RANDOM\.$/,
      );
    });

    it('should be loaded once by Node.js, for import and for require()', async () => {
      const paths = libraries.flatMap(({ manifest }) =>
        entryPoints(manifest).map(([path]) => `${manifest.name}${path.slice(1)}`),
      );
      expect(paths).toEqual(expect.arrayContaining(['nestjs-kopf', 'nestjs-kopf/health', 'embedded-kube']));
      expect(await project.compareInstances(paths)).toEqual(paths.map(() => 'same'));
    });

    it('should tell lines of the sources in stack traces', async () => {
      expect(await project.readStackTrace()).toMatch(
        /^ +at .*\/node_modules\/nestjs-kopf\/src\/[\w./-]+\.ts:\d+:\d+\)$/m,
      );
    });

    it('should have its commands, which run', async () => {
      const commands = libraries.flatMap(({ manifest }) => Object.keys(manifest.bin ?? {}));
      expect(commands).toEqual(['embedded-kube', 'nestjs-kopf', 'kopf', 'kubectl-kopf']);
      expect(await project.call('embedded-kube', '--help')).toMatch(/^Usage: embedded-kube /);
      expect(await project.call('kopf', '--help')).toMatch(/^Usage: kopf /);
      expect(await project.call('kubectl-kopf', '--help')).toMatch(/^Usage: kubectl kopf /);
    });

    it.runIf(type !== 'classic')(
      'should run its TypeScript by kopf run, until a signal',
      { timeout: 60_000 },
      async () => {
        const kube = await EmbeddedKube.start({ port: 0 });
        try {
          const kubeconfig = join(folder, `${type}.kubeconfig`);
          kube.writeKubeconfig(kubeconfig);
          const operator = project.start('kopf', 'run', 'greeting.operator.ts', '--kubeconfig', kubeconfig);
          await eventually('the operator works', () => {
            operator.check();
            return operator.output.includes('The operator is ready');
          });
          await operator.stop();
          expect(operator.exitCode).toBe(0);
        } finally {
          await kube.stop();
        }
      },
    );

    it('should run in one file without any packages, as the guide says', { timeout: 60_000 }, async () => {
      const [, config] = /^```js\n([^]*?)^```$/m.exec(readFileSync(join(GUIDES, 'deployment.md'), 'utf8'))!;
      const bundle = await project.bundle(config);
      expect(readdirSync(bundle)).toEqual(['main.mjs']);
      expect(await project.run(join(bundle, 'main.mjs'))).toBe('Hello, world!');
    });
  });
});
