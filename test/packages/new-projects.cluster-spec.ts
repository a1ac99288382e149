import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { installNode, NestCommand, type NewProject } from './new.project.js';
import { packLibraries, type PackedLibrary } from './packed.library.js';

/** Each of these takes half a minute: they run by `NEW_PROJECTS=all` only. */
const itOnDemand = it.runIf(process.env.NEW_PROJECTS === 'all');

describe('a project that was made by nest new', () => {
  let folder: string;
  let libraries: readonly PackedLibrary[];
  let nest11: NestCommand;
  let nest12: NestCommand;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'projects-'));
    libraries = await packLibraries(folder);
    nest11 = await NestCommand.install(join(folder, 'nest-11'), '11');
    nest12 = await NestCommand.install(join(folder, 'nest-12'), '12');
  }, 600_000);

  afterAll(() => rmSync(folder, { recursive: true, force: true }), 600_000);

  /** Adds an operator as the guide says, builds the project, and runs its tests. */
  async function tryOut(project: NewProject, node?: string): Promise<string> {
    await project.install(libraries);
    await project.nest('add', 'nestjs-kopf', '--skip-install');
    for (const kind of ['operator', 'webhook', 'daemon'])
      await project.nest('generate', '-c', 'nestjs-kopf', kind, 'claims');
    expect(project.read('src/app.module.ts')).toContain(
      'imports: [KopfAdmissionModule.forRoot(), KopfModule.forRoot()],',
    );
    expect(project.read('src/app.module.ts')).toContain(
      'providers: [AppService, ClaimsOperator, ClaimsWebhook, ClaimsDaemon]',
    );
    expect(project.read('src/main.ts')).toContain('app.enableShutdownHooks();');
    expect(project.manifest.dependencies).toHaveProperty('nestjs-kopf');
    expect(project.manifest.devDependencies).toHaveProperty('embedded-kube');
    await project.script('build', node);
    const output = await project.script('test', node);
    for (const kind of ['operator', 'webhook', 'daemon']) expect(output).toContain(`src/claims/claims.${kind}.spec.ts`);
    return output;
  }

  it('should build and pass with Nest 11, CommonJS, and Jest', { timeout: 900_000 }, async () => {
    const project = await nest11.create('commonjs');
    const output = await tryOut(project);
    expect(project.versionOf('@nestjs/core')).toMatch(/^11\./);
    expect(project.manifest.scripts.test).toBe('jest');
    expect(output).toMatch(/^Tests: +6 passed, 6 total$/m);
  });

  it('should build and pass with Nest 12, ESM, and Vitest', { timeout: 900_000 }, async () => {
    const project = await nest12.create('modules');
    const output = await tryOut(project);
    expect(project.versionOf('@nestjs/core')).toMatch(/^12\./);
    expect(project.manifest.scripts.test).toBe('vitest run');
    expect(output).toMatch(/^ *Tests +6 passed \(6\)$/m);
  });

  itOnDemand('should build and pass with Nest 11, ESM, and Vitest', { timeout: 900_000 }, async () => {
    const project = await nest12.create('modules-11');
    project.useNest('^11.1.0');
    const output = await tryOut(project);
    expect(project.versionOf('@nestjs/core')).toMatch(/^11\./);
    expect(output).toMatch(/^ *Tests +6 passed \(6\)$/m);
  });

  // Before Node.js 24.9, Jest cannot load Nest 12 itself.
  itOnDemand(
    'should build and pass with Nest 12, CommonJS, and Jest, on Node.js 24',
    { timeout: 900_000 },
    async () => {
      const project = await nest12.createCommonJs('commonjs');
      const output = await tryOut(project, await installNode(join(folder, 'node-24'), '24'));
      expect(project.versionOf('@nestjs/core')).toMatch(/^12\./);
      expect(output).toMatch(/^Tests: +6 passed, 6 total$/m);
    },
  );
});
