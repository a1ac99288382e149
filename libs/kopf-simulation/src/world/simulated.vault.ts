import { type Login, LoginActivity, Vault } from 'nestjs-kopf/tooling';
import { type ConnectionInfo, KOPF_CLOCK, KOPF_LOGGER, KOPF_RANDOM, type KopfLogger } from 'nestjs-kopf';
import type { ActivityTracker } from 'nestjs-kopf/testing';
import type { Clock, KubeTransport, Random } from 'kube-common';

/** The parts of a run that credentials depend on. */
interface VaultTargets {
  /** The transport to the cluster, whichever credentials are used. */
  readonly transport: KubeTransport;
  readonly server: string;
  /** Whether the handlers of `@OnLogin` are called, if there are any. */
  readonly callsHandlers: boolean;
  /** The activity of logins, which requests wait for. */
  readonly activity: Pick<ActivityTracker, 'begin'>;
  /** Returns how often credentials have expired. A login gets others after that, and the same ones otherwise. */
  expirations(): number;
  /** Called when a login has failed: the operator tries again after a pause. */
  onFailure(): void;
}

/** Creates the provider of the vault of a process, whose credentials all lead to the cluster of the run. */
export function simulatedVault(targets: VaultTargets) {
  const { transport, callsHandlers, activity, onFailure } = targets;
  const useFactory = (clock: Clock, random: Random, logger: KopfLogger, logins: LoginActivity) => {
    const simulated = simulatedLogin(targets);
    // The handlers are not registered yet.
    const login: Login = async (signal) => {
      if (!callsHandlers || !logins.exists) return simulated();
      const end = activity.begin();
      try {
        return await loginByHandlers(logins, signal, transport);
      } catch (error) {
        onFailure();
        throw error;
      } finally {
        end();
      }
    };
    return new Vault({ login, createTransport: () => transport, clock, random, logger });
  };
  return { useFactory, inject: [KOPF_CLOCK, KOPF_RANDOM, KOPF_LOGGER, LoginActivity] };
}

/** Creates credentials with a token: the same ones until they have expired. */
function simulatedLogin({ transport, server, expirations }: VaultTargets): () => ReturnType<Login> {
  return () => {
    const info = { server, transport, defaultNamespace: 'default', token: `login-${expirations() + 1}` };
    return Promise.resolve(new Map([['simulation', info]]));
  };
}

async function loginByHandlers(
  activity: LoginActivity,
  signal: AbortSignal,
  transport: KubeTransport,
): Promise<ReadonlyMap<string, ConnectionInfo>> {
  const found = await activity.login(signal);
  return new Map([...found].map(([source, info]) => [source, { defaultNamespace: 'default', ...info, transport }]));
}
