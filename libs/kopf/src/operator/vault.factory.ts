import { HttpTransport } from '../client/http/http.transport.js';
import { createDefaultLogin } from '../client/vault/default.login.js';
import { GivenLogin } from '../client/vault/given.login.js';
import { KubeConfigLogin } from '../client/vault/kubeconfig.login.js';
import { ServiceAccountLogin } from '../client/vault/service-account.login.js';
import { Vault, type Login } from '../client/vault/vault.js';
import type { LoginActivity } from '../activities/login.activity.js';
import type { Clock, Random } from 'kube-common';
import type { KopfLogger } from '../common/kopf.logger.js';
import type { KopfSettings } from '../settings/kopf.settings.js';
import type { KopfModuleOptions } from '../kopf.options.js';

/**
 * Creates the vault of the operator: with the credentials that login handlers return; without any such handlers, with those of the module's
 * options or, without these either, with those of its environment: a kubeconfig, or the account of its pod.
 */
export function createVault(
  options: KopfModuleOptions,
  settings: KopfSettings,
  clock: Clock,
  random: Random,
  logger: KopfLogger,
  activity?: LoginActivity,
): Vault {
  const fallback = createLogin(options, clock, logger);
  return new Vault({
    // The handlers are not known yet.
    login: (signal) => (activity?.exists ? activity.login(signal) : fallback(signal)),
    createTransport: (info) => new HttpTransport(info, settings, clock),
    clock,
    random,
    logger,
  });
}

function createLogin({ credentials }: KopfModuleOptions, clock: Clock, logger: KopfLogger): Login {
  if (credentials === undefined) {
    return createDefaultLogin(new KubeConfigLogin({ clock }), new ServiceAccountLogin(), logger);
  }
  const given = new GivenLogin(credentials, clock);
  return async () => new Map([['given', await given.login()]]);
}
