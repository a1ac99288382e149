import type { Clock } from 'kube-common';
import { after, type Eventual } from '../common/eventual.js';
import { mapping } from '../common/json.values.js';
import { containersOf } from '../kinds/pod.resources.js';
import type { IdentityFactory } from '../machinery/identity.factory.js';
import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { Draft, KubeObject } from '../resources/kube-object.js';
import { pathSegment } from '../resources/name.rules.js';
import type { ObjectStore } from '../storage/object.store.js';
import { denied } from './admission.denial.js';
import type { AdmissionPlugin } from './admission.plugin.js';

const ACCOUNTS = 'serviceaccounts';
const DEFAULT_ACCOUNT = 'default';
const MIRROR = 'kubernetes.io/config.mirror';
const VOLUME_PREFIX = 'kube-api-access-';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const FILE_MODE = 420;
/** The time to wait for the service account that a new namespace gets soon, in milliseconds. */
const PATIENCE = 1500;

type Fields = Readonly<Record<string, unknown>>;

/**
 * The plugin that gives new pods the token of their service account, as a volume, and its pull secrets; it rejects pods whose account does
 * not exist.
 */
export class ServiceAccountPlugin implements AdmissionPlugin {
  readonly name = 'ServiceAccount';

  constructor(
    private readonly store: ObjectStore,
    private readonly identities: IdentityFactory,
    private readonly clock: Clock,
  ) {}

  admit(attributes: AdmissionAttributes): Eventual<void> {
    const { object, namespace } = attributes;
    if (!object || !isNewPod(attributes)) return;
    if (object.metadata.annotations?.[MIRROR] !== undefined) return assertMirror(attributes, object);
    const spec = mapping(object['spec']);
    const given = spec['serviceAccountName'];
    const name = typeof given === 'string' && given ? given : DEFAULT_ACCOUNT;
    const problems = pathSegment(name);
    if (problems.length > 0) {
      const problem = `invalid resource name ${JSON.stringify(name)}: [${problems.join(' ')}]`;
      throw denied(attributes, `error looking up service account ${namespace}/${name}: ${problem}`);
    }
    return after(this.accountOf(namespace, name), (account) => {
      if (!account) {
        const problem = `serviceaccount ${JSON.stringify(name)} not found`;
        throw denied(attributes, `error looking up service account ${namespace}/${name}: ${problem}`);
      }
      const named = { ...spec, serviceAccountName: name, serviceAccount: name };
      const { imagePullSecrets } = spec;
      const secrets = account['imagePullSecrets'];
      const lacksSecrets = !Array.isArray(imagePullSecrets) || imagePullSecrets.length === 0;
      const mounted = mounts(spec, account) ? this.mount(named) : named;
      object['spec'] = { ...mounted, ...(lacksSecrets && Array.isArray(secrets) && { imagePullSecrets: secrets }) };
    });
  }

  private accountOf(namespace: string, name: string): Eventual<KubeObject | undefined> {
    const accounts = this.store.collection(ACCOUNTS);
    const found = accounts.get(namespace, name)?.object;
    if (found || name !== DEFAULT_ACCOUNT) return found;
    return new Promise((resolve) => {
      const end = (account?: KubeObject): void => {
        timer.cancel();
        unsubscribe();
        resolve(account);
      };
      const timer = this.clock.setTimer(() => end(), PATIENCE);
      const unsubscribe = accounts.subscribe(({ type, current }) => {
        if (type === 'ADDED' && current.namespace === namespace && current.name === name) end(current.object);
      });
    });
  }

  private mount(spec: Fields): Fields {
    const volumes: readonly unknown[] = Array.isArray(spec['volumes']) ? spec['volumes'] : [];
    const known = volumes.map((each) => String(mapping(each)['name'])).find((name) => name.startsWith(VOLUME_PREFIX));
    const name = known ?? this.identities.name(VOLUME_PREFIX);
    const complete = (container: Fields): Fields => {
      if (hasMount(container)) return container;
      return { ...container, volumeMounts: [...mountsOf(container), { name, readOnly: true, mountPath: MOUNT_PATH }] };
    };
    const all = [...containersOf(spec, 'initContainers'), ...containersOf(spec, 'containers')];
    const isNeeded = known === undefined && !all.every(hasMount);
    const initContainers = containersOf(spec, 'initContainers').map(complete);
    const containers = containersOf(spec, 'containers').map(complete);
    return {
      ...spec,
      ...(isNeeded && { volumes: [...volumes, { name, projected: tokenVolume() }] }),
      ...(initContainers.length > 0 && { initContainers }),
      containers,
    };
  }
}

function mountsOf({ volumeMounts }: Fields): readonly unknown[] {
  return Array.isArray(volumeMounts) ? volumeMounts : [];
}

function hasMount(container: Fields): boolean {
  return mountsOf(container).some((each) => mapping(each)['mountPath'] === MOUNT_PATH);
}

function isNewPod({ served, operation, subresource }: AdmissionAttributes): boolean {
  return served.storageKey === 'pods' && operation === 'CREATE' && !subresource;
}

/** Rejects mirror pods with an account: kubelets mirror the pods that they run by themselves, which have none. */
function assertMirror(attributes: AdmissionAttributes, object: Draft): void {
  const { serviceAccountName } = mapping(object['spec']);
  if (serviceAccountName) throw denied(attributes, 'a mirror pod may not reference service accounts');
}

/** Whether a pod gets a token: as the pod says or, if it does not, as its account says. */
function mounts(
  { automountServiceAccountToken: own }: Fields,
  { automountServiceAccountToken: common }: KubeObject,
): boolean {
  return own !== undefined ? own === true : common !== false;
}

function tokenVolume(): object {
  const namespace = { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } };
  return {
    sources: [
      { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      { downwardAPI: { items: [namespace] } },
    ],
    defaultMode: FILE_MODE,
  };
}
