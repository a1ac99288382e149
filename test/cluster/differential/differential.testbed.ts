import { bundleProgram, type Bundle } from '../../support/programs/bundle.js';
import type { ClusterUser } from '../../support/clusters/cluster.user.js';
import { installPythonKopf } from '../../support/operators/python.kopf.js';
import { join } from 'node:path';
import { administrator, define } from '../../support/clusters/cluster.access.js';
import { startControlPlane, type ControlPlane } from '../../support/clusters/control-plane.js';
import type { CutPlan, Program } from './program.js';
import { ProgramRun } from './program.run.js';
import { RecordingProxy } from './recording.proxy.js';
import { SideProcess, type Interpreters, type Side } from './side.process.js';

/** A control plane with both resources of the programs, and with the proxy before it. */
export class DifferentialTestbed {
  private processes = 0;

  private constructor(
    private readonly cluster: ControlPlane,
    private readonly user: ClusterUser,
    private readonly proxy: RecordingProxy,
    private readonly bundle: Bundle,
    private readonly interpreters: Interpreters,
  ) {}

  static async build(): Promise<DifferentialTestbed> {
    const python = await installPythonKopf();
    const bundle = await bundleProgram(join(import.meta.dirname, 'nest.side.ts'));
    const cluster = await startControlPlane({ controllers: false });
    const user = administrator(cluster);
    await define(user, { kind: 'Thing', plural: 'things' });
    await define(user, { kind: 'SubThing', plural: 'subthings', statusSubresource: true });
    const proxy = new RecordingProxy(cluster);
    await proxy.start();
    return new DifferentialTestbed(cluster, user, proxy, bundle, { python, bundle: bundle.path });
  }

  /** Starts a process of the side, which runs no operator yet. */
  start(side: Side): SideProcess {
    const name = `${side}-${++this.processes}`;
    const process = new SideProcess(side, name, this.proxy.url, this.interpreters);
    this.proxy.processes.set(name, process);
    return process;
  }

  /** Prepares a run of the program in a new namespace. */
  async prepare(program: Program, name: string, cut?: CutPlan): Promise<ProgramRun> {
    await this.user.create('/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return new ProgramRun(program, name, { user: this.user, proxy: this.proxy }, cut);
  }

  async tearDown(): Promise<void> {
    await this.proxy.stop();
    await this.user.close();
    await this.cluster.stop();
    this.bundle.remove();
  }
}
