import { parseArgs } from 'node:util';
import { type FeatureGateSettings, parseFeatureGates } from '../common/feature.gates.js';
import { type BuiltinControllerSwitches, parseControllers } from '../controllers/builtin.controllers.js';

/** The options of the command line. */
export interface CliOptions {
  readonly port: number;
  readonly host: string;
  readonly kubeconfig: string | undefined;
  readonly data: string | undefined;
  readonly manifests: readonly string[];
  readonly token: string | undefined;
  readonly authorization: 'rbac' | 'authenticated';
  readonly pods: boolean;
  readonly builtinControllers: BuiltinControllerSwitches;
  readonly featureGates: FeatureGateSettings;
  readonly enableAdmissionPlugins: readonly string[];
  readonly version: boolean;
  readonly help: boolean;
}

export const USAGE = `Usage: embedded-kube [options]

Runs a Kubernetes API server until it is stopped by Ctrl-C.

Options:
  --port PORT         HTTPS port (default 6443; 0 takes a free one)
  --host ADDRESS      address to listen on (default 127.0.0.1)
  --kubeconfig FILE   write a kubeconfig for kubectl there; it is removed at the end
  --manifests PATH    apply a file or a folder of manifests at the start; can be repeated
  --data DIR          keep objects, token and certificate in a folder over restarts
  --token TOKEN       the administrator's bearer token (default: a random one)
  --authorization M   rbac: roles and bindings decide (default); authenticated: every user with a token may do everything
  --pods              simulate a node, and take pods through their phases as if they ran
  --controllers LIST  the controllers that run, as for kube-controller-manager (default *; '*,-job-controller' leaves one out)
  --feature-gates G   features that are switched on or off, as for kube-apiserver (ShardedListAndWatch=true)
  --enable-admission-plugins LIST
                      plugins that are on, too, as for kube-apiserver (OwnerReferencesPermissionEnforcement)
  --version           show the version
  --help              show this text
`;

/** @throws TypeError if an option is unknown or a value is wrong */
export function parseCliOptions(args: readonly string[]): CliOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      port: { type: 'string', default: '6443' },
      host: { type: 'string', default: '127.0.0.1' },
      kubeconfig: { type: 'string' },
      data: { type: 'string' },
      manifests: { type: 'string', multiple: true, default: [] },
      token: { type: 'string' },
      authorization: { type: 'string', default: 'rbac' },
      pods: { type: 'boolean', default: false },
      controllers: { type: 'string', default: '*' },
      'feature-gates': { type: 'string', default: '' },
      'enable-admission-plugins': { type: 'string', default: '' },
      version: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  for (const name of ['host', 'kubeconfig', 'data', 'token'] as const) {
    // An unset variable of a shell would switch off what it was meant to name.
    if (values[name] === '') throw new TypeError(`--${name} must not be empty`);
  }
  if (values.manifests.includes('')) throw new TypeError('--manifests must not be empty');
  const port = Number(values.port);
  if (!/^\d+$/.test(values.port) || port > 65_535) {
    throw new TypeError(`--port must be a number from 0 to 65535, not ${JSON.stringify(values.port)}`);
  }
  const { authorization } = values;
  if (authorization !== 'rbac' && authorization !== 'authenticated') {
    throw new TypeError(`--authorization must be rbac or authenticated, not ${JSON.stringify(authorization)}`);
  }
  const { host, kubeconfig, data, manifests, token, pods, version, help } = values;
  const featureGates = parseFeatureGates(values['feature-gates']);
  const builtinControllers = values.controllers === '*' ? true : parseControllers(values.controllers);
  const rights = { token, authorization } as const;
  const enableAdmissionPlugins = values['enable-admission-plugins'].split(',').filter(Boolean);
  const cluster = { data, manifests, pods, builtinControllers, featureGates, enableAdmissionPlugins };
  return { port, host, kubeconfig, ...rights, ...cluster, version, help };
}
