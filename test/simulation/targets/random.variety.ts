import type { KopfModuleOptions } from 'nestjs-kopf';
import type { Draw } from './random.draw.js';

/** Draws settings that change how the operator works, but not what it must bring about. */
export function varySettings(draw: Draw, kopf: KopfModuleOptions): KopfModuleOptions {
  const namespaces = draw.one([undefined, undefined, 'default', 'def*, !kube-*', /def.*/]);
  return {
    ...kopf,
    ...(namespaces !== undefined && { namespaces }),
    // The peering object that the operator finds is that of the cluster, whichever namespaces it serves.
    ...(kopf.coordination === 'peering' && { peering: { ...kopf.peering, clusterwide: true } }),
    scanning: { disabled: draw.percent(20) },
    watching: {
      pageSize: draw.one([1, 2, 500]),
      streamedLists: draw.one<'auto' | boolean>([false, 'auto', true]),
      serverTimeout: draw.one([null, 40]),
      clientTimeout: draw.one([null, 50]),
      reconnectBackoff: draw.one([0.1, 1]),
    },
    networking: { errorBackoffs: draw.one([[], [1, 2], [1, 1, 2, 3, 5, 8, 13, 21]]), qps: draw.one([null, 20]) },
    queueing: {
      ...kopf.queueing,
      workerLimitPerKind: draw.one([null, 1, 2]),
      errorDelays: draw.one([[0.5], [1, 20], [1, 1, 2, 3, 5]]),
    },
    patching: { ...kopf.patching, fieldManager: draw.one(['nestjs-kopf', 'random']) },
    deletion: { ...kopf.deletion, optionalHandlers: draw.one(['skip', 'call']) },
    background: {
      cancellationPolling: draw.one([2, 60]),
      instantExitTimeout: draw.one([null, 0.5]),
      timerFailures: draw.one(['stop', 'repeat']),
    },
    posting: { ...kopf.posting, loggers: draw.percent(30), queueLimit: draw.one([1, 1000]) },
  };
}
