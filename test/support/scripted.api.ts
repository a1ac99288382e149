import { KubeApi } from '../../libs/kopf/src/client/api/api.client.js';
import { Vault } from '../../libs/kopf/src/client/vault/vault.js';
import { NetworkingSettings } from '../../libs/kopf/src/settings/client.settings.js';
import { SeededRandom } from '../../libs/kopf/src/testing/seeded.random.js';
import { VirtualClock } from '../../libs/kopf/src/testing/virtual.clock.js';
import { MemoryLogger } from './memory.logger.js';
import { ScriptedTransport, type Script } from './scripted.transport.js';

/** A client of a scripted API server on virtual time. */
export function scriptedApi(script: Script, settings: Partial<NetworkingSettings> = {}) {
  const clock = new VirtualClock();
  const random = new SeededRandom(1);
  const logger = new MemoryLogger();
  const transport = new ScriptedTransport(script);
  const info = { server: 'https://127.0.0.1:6443', transport, defaultNamespace: 'from-context' };
  const vault = new Vault({
    login: async () => new Map([['test', info]]),
    createTransport: () => transport,
    clock,
    random,
    logger,
  });
  const networking = Object.assign(new NetworkingSettings(), settings);
  const api = new KubeApi(vault, networking, clock, logger);
  return { api, vault, clock, random, logger, transport };
}
