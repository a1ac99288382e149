// Runs an operator and its cluster in one process and on virtual time, again and again, each time with other faults: crashes between two
// writes, events that come too late or never, lost answers, conflicts, errors. Whatever differs from the run without faults, or breaks a rule, is a
// finding, which is reduced to the smallest plan that shows it. It is made of the virtual time,
// the killable processes, and the recorders of nestjs-kopf/testing.

import { prepareCluster } from './cluster/cluster.world.js';
import { assertRepeatable } from './user/command.workload.js';
import { prepareWorld, type SimulatedModule } from './world/prepared.world.js';
import { Simulation } from './simulation.js';
import type { SimulationOptions } from './simulation.options.js';
import type { SimulationReport } from './simulation.report.js';

/**
 * Tests an operator under crashes, late and missed events, lost answers, and conflicts: runs it on a cluster in the process, on virtual time, with
 * one plan of faults after another.
 *
 * @param module the application's module.
 * @returns the report; findings do not reject the promise.
 * @throws TypeError if there is neither a workload nor changes, or if the commands of the workload can be read only once.
 * @throws Error if `embedded-kube` is not installed, or the manifests cannot be applied.
 *
 * @example
 * const report = await simulate(AppModule, {
 *   world: { manifests: 'k8s/crd.yaml' },
 *   workload: async (kube) => {
 *     await kube.apply(claim);
 *     await kube.settled();
 *     await kube.delete(claim);
 *   },
 * });
 * expect(report).toHaveNoFindings();
 */
export async function simulate<Model>(
  module: SimulatedModule,
  options: SimulationOptions<Model>,
): Promise<SimulationReport> {
  if (!options.workload && !options.changes) throw new TypeError('A simulation needs a workload, or changes.');
  assertRepeatable(options.workload);
  const world = await (options.cluster === undefined ? prepareWorld(module, options) : prepareCluster(module, options));
  return new Simulation(world).run().finally(() => world.close());
}
