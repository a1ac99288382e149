import type { CliEnvironment } from '../../../libs/kopf-cli/src/cli.environment.js';
import { ClusterConnection } from '../../../libs/kopf-cli/src/cluster.connection.js';
import { ClusterInspection } from '../../../libs/kopf/src/inspection/cluster/cluster.inspection.js';
import type { ClusterScope } from '../../../libs/kopf/src/inspection/cluster/cluster.tools.js';
import { WatchingSettings } from '../../../libs/kopf/src/settings/client.settings.js';
import { SeededRandom } from 'nestjs-kopf/testing';
import { MemoryLogger } from '../telemetry/memory.logger.js';
import type { OperatorHarness } from './operator.harness.js';

/** Looks at the cluster of a harness as `kopf console` does, on its virtual time. Ends with the test. */
export async function observeCluster(
  harness: OperatorHarness,
  scope: Partial<ClusterScope> = {},
  token?: string,
): Promise<ClusterInspection> {
  const { clock } = harness;
  const logger = new MemoryLogger();
  const random = new SeededRandom(3);
  const info = { server: 'http://embedded', transport: harness.kube.transport(token) };
  const environment = { clock, random } as unknown as CliEnvironment;
  const connection = new ClusterConnection(async () => new Map([['test', info]]), environment, logger);
  const source = new ClusterInspection(
    {
      api: connection.api,
      settings: new WatchingSettings(),
      clock,
      random,
      logger,
      host: () => 'embedded',
      scan: (signal) => connection.scan(signal),
    },
    { name: 'cluster', resources: [], namespaces: [], lease: 'kopf-operator', ...scope },
  );
  onTestFinished(async () => {
    const stopped = source.stop().then(() => connection.close());
    await harness.advance(1);
    await stopped;
  });
  const started = source.start();
  await harness.advance(1);
  await started;
  await harness.advance(1);
  return source;
}
