import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsumerProject } from './consumer.project.js';
import { packLibrary, type PackedLibrary } from './packed.library.js';

describe('the published packages, installed by npm', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'packages-'));
    libraries = await Promise.all(['kopf', 'embedded-kube'].map((name) => packLibrary(name, folder)));
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
