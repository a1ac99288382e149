import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCliBench } from '../../../libs/kopf-cli/src/cli.bench.spec-support.js';
import { runCommandLine } from '../../../libs/kopf-cli/src/command.line.js';
import { COMMANDS } from '../../../libs/kopf-cli/src/commands.js';
import { buildLibraries, KopfProject } from '../../support/programs/kopf.project.js';

/** A simulation without imports, which says in its report with which options it was run. */
const SIMULATION = `
export default {
  [Symbol.for('nestjs-kopf:simulation')]: true,
  run: async (changes) => ({
    findings: changes.seed === 13 ? [{ plan: { seed: 13, faults: [] }, check: 'always', message: 'wrong', workload: ['w'] }] : [],
    toJSON: () => changes,
    toString: () => 'the report',
    writeHtml: (path) => process.getBuiltinModule('node:fs').writeFileSync(path, '<html>'),
  }),
};
`;

/** The operator of the guide, in JavaScript. */
const PROJECT = `
import { Module } from '@nestjs/common';
import { KopfModule, KubeClient, OnCreate } from 'nestjs-kopf';
import { defineSimulation } from 'nestjs-kopf-simulation';

class DiskOperator {
  constructor(kube) {
    this.kube = kube;
  }
  async create({ name }) {
    const metadata = { generateName: name + '-', namespace: 'default' };
    await this.kube.create({ apiVersion: 'v1', kind: 'Secret', metadata });
  }
}
Reflect.defineMetadata('self:paramtypes', [{ index: 0, param: KubeClient }], DiskOperator);
OnCreate('configmaps.v1', { labels: { app: 'disk' } })(
  DiskOperator.prototype,
  'create',
  Object.getOwnPropertyDescriptor(DiskOperator.prototype, 'create'),
);
class AppModule {}
Module({ imports: [KopfModule.forRoot()], providers: [DiskOperator] })(AppModule);

export default defineSimulation(AppModule, {
  workload: async (kube) => {
    await kube.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', labels: { app: 'disk' } } });
    await kube.settled();
  },
  plans: [{ seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] }],
});
`;

/** The same, with commands for a workload. */
const WITH_COMMANDS = PROJECT.replace(
  /async \(kube\) => \{[^]*?\n {2}\},/,
  `{
    commands: ['a', 'b', 'a'].map((name) => ({
      check: (disks) => !disks.has(name),
      async run(disks, kube) {
        disks.add(name);
        await kube.apply({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, labels: { app: 'disk' } } });
        await kube.settled();
      },
      toString: () => 'create ' + name,
    })),
    model: () => new Set(),
  },`,
);

const PLAN = { seed: 1, faults: [{ kind: 'crash', afterWrite: 1 }] };

describe('The command kopf simulate', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'simulate-'));
    writeFileSync(join(folder, 'disks.mjs'), SIMULATION);
    writeFileSync(join(folder, 'other.mjs'), 'export class Other {}');
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function run(...args: readonly string[]) {
    const bench = createCliBench({ folder });
    const code = await runCommandLine(['simulate', ...args], bench.environment, COMMANDS);
    return { code, out: bench.out, err: bench.err };
  }

  it('should run the simulation as the file and the options say', async () => {
    expect(await run('disks.mjs')).toEqual({ code: 0, out: 'the report\n', err: '' });
    const changesOf = async (...args: readonly string[]) =>
      JSON.parse((await run('disks.mjs', ...args, '-o', 'json')).out);
    expect(await changesOf()).toEqual({ file: 'disks.mjs' });
    expect(await changesOf('--random', '500', '--seed', '7', '--stop-after', '1')).toEqual({
      file: 'disks.mjs',
      seed: 7,
      stopAfter: 1,
      plans: { random: 500, seed: 7 },
      limit: 500,
    });
    expect(await changesOf('--replay', JSON.stringify(PLAN), '--limit', '3')).toEqual({
      file: 'disks.mjs',
      limit: 3,
      plans: [PLAN],
      sometimes: [],
    });
    expect(await changesOf('--replay', JSON.stringify(PLAN), '--cluster', 'kubeconfig')).toEqual({
      file: 'disks.mjs',
      cluster: join(folder, 'kubeconfig'),
      plans: [PLAN],
      sometimes: [],
    });
  });

  it('should write the report and the plans, and fail if there are findings', async () => {
    const args = ['--html', 'a.html', '--json', 'a.json', '--save', 'plans.json'];
    expect(await run('disks.mjs', '--seed', '13', ...args)).toMatchObject({ code: 1 });
    expect(readFileSync(join(folder, 'a.html'), 'utf8')).toBe('<html>');
    expect(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8'))).toMatchObject({ seed: 13 });
    const replayed = await run('disks.mjs', '--replay', 'plans.json', '-o', 'json');
    expect(JSON.parse(replayed.out)).toMatchObject({ plans: [{ seed: 13, faults: [], workload: ['w'] }] });
  });

  it.each([
    [['missing.mjs'], 2, 'There is no file missing.mjs.'],
    [['other.mjs'], 1, 'other.mjs must export what defineSimulation() returns, as default. It exports Other.'],
    [['disks.mjs', '--random', '0'], 2, 'It must be a whole number, at least 1.'],
    [['disks.mjs', '--random', '1', '--replay', '{}'], 2, '--replay and --random exclude each other.'],
    [['disks.mjs', '--cluster', 'kubeconfig'], 2, '--cluster needs --replay: on a cluster, each plan takes seconds.'],
    [['disks.mjs', '--replay', 'missing.json'], 2, 'There is no file missing.json.'],
    [['disks.mjs', '--replay', '{}'], 2, '--replay {} cannot be read: The plan has no seed'],
    [['disks.mjs', '--replay', 'other.mjs'], 2, 'other.mjs is no JSON'],
  ])('should say what is wrong with %j', async (args, code, message) => {
    expect(await run(...args)).toMatchObject({ code, err: expect.stringContaining(message) });
  });

  describe('in a process of its own', { timeout: 300_000 }, () => {
    let project: KopfProject;

    beforeAll(async () => {
      await buildLibraries();
      project = new KopfProject();
      project.write('disks.simulation.js', PROJECT);
      project.write('commands.simulation.js', WITH_COMMANDS);
    }, 600_000);

    afterAll(() => project?.remove());

    it('should find a bug, and find it again by the command that it prints', async () => {
      const found = await project.run('simulate', 'disks.simulation.js', '--html', 'report.html');
      expect(found).toMatchObject({ code: 1, err: '' });
      expect(found.out).toContain('surplus: Secret default/a-* is created twice, and once without faults');
      expect(readFileSync(join(project.folder, 'report.html'), 'utf8')).toContain(
        'Secret default/a-* is created twice',
      );
      const [, plan] = /npx -p nestjs-kopf-cli kopf simulate disks\.simulation\.js --replay '([^']+)'/.exec(found.out)!;
      const again = await project.run('simulate', 'disks.simulation.js', '--replay', plan!, '--output', 'json');
      expect(again.code).toBe(1);
      expect(JSON.parse(again.out)).toMatchObject({
        version: 1,
        plans: 1,
        findings: [{ check: 'surplus', plan: PLAN }],
      });
    });

    it('should run commands, and save plans that belong to them', async () => {
      const found = await project.run('simulate', 'commands.simulation.js', '--save', 'plans.json');
      expect(found).toMatchObject({ code: 1, err: '' });
      expect(JSON.parse(readFileSync(join(project.folder, 'plans.json'), 'utf8'))).toMatchObject({
        plans: [{ ...PLAN, without: [2, 3], workload: ['create a', 'create b', 'create a'] }],
      });
      const again = await project.run('simulate', 'commands.simulation.js', '--replay', 'plans.json');
      expect(again).toMatchObject({ code: 1, err: '' });
      const other = await project.run('simulate', 'disks.simulation.js', '--replay', 'plans.json');
      expect(other.err).toContain("Operation 1 was 'create a' when it was found");
    });
  });
});
