import { isMapping, mapping } from '../../common/json.values.js';
import {
  type CheckedContainer,
  type CheckedPod,
  containerViolation,
  distinct,
  plural,
  quotedNames,
  type SecurityCheck,
  type SecurityViolation,
  setters,
} from './security.check.js';

const CAPABILITIES = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(
    ' ',
  ),
);
const SELINUX_TYPES = new Set(['', 'container_t', 'container_init_t', 'container_kvm_t', 'container_engine_t']);
const SYSCTLS = new Set([
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.ip_local_reserved_ports',
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
  'net.ipv4.tcp_rmem',
  'net.ipv4.tcp_wmem',
]);
const APPARMOR_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';
/** Profiles that protect a container, of AppArmor as of seccomp. */
const PROFILES = new Set<unknown>(['RuntimeDefault', 'Localhost']);

/** The checks of the standard `baseline` that stronger checks of `restricted` replace, by what they are about. */
export const REPLACED_CHECKS = {
  capabilities(pod: CheckedPod): SecurityViolation | undefined {
    const added = (container: CheckedContainer): string[] =>
      capabilitiesOf(container, 'add').filter((name) => !CAPABILITIES.has(name));
    const names = pod.named((container) => added(container).length > 0);
    const rule = `must not include ${quotedNames(distinct(pod.containers.flatMap(added)))} in securityContext.capabilities.add`;
    return containerViolation('non-default capabilities', names, rule);
  },

  hostPaths({ volumes }: CheckedPod): SecurityViolation | undefined {
    const names = volumes.filter(({ hostPath }) => isMapping(hostPath)).map(({ name }) => String(name));
    if (names.length === 0) return undefined;
    return { reason: 'hostPath volumes', detail: `${plural('volume', names)} ${quotedNames(names)}` };
  },

  procMount(pod: CheckedPod): SecurityViolation | undefined {
    return pod.hasOwnUsers ? undefined : unmaskedProc(pod);
  },

  seccomp(pod: CheckedPod): SecurityViolation | undefined {
    return badProfiles(pod, 'seccompProfile');
  },
} satisfies Record<string, SecurityCheck>;

/** The other checks of the standard `baseline`, in the order in which violations are reported; `undefined` where a replaced one stands. */
export const BASELINE_CHECKS: readonly SecurityCheck[] = [
  appArmor,
  REPLACED_CHECKS.capabilities,
  hostNamespaces,
  REPLACED_CHECKS.hostPaths,
  hostPorts,
  hostProbes,
  privileged,
  REPLACED_CHECKS.procMount,
  seLinux,
  REPLACED_CHECKS.seccomp,
  sysctls,
  windowsHostProcess,
];

/** Returns the capabilities that a container adds or drops. */
export function capabilitiesOf({ context }: CheckedContainer, field: 'add' | 'drop'): string[] {
  const list = mapping(context['capabilities'])[field];
  return Array.isArray(list) ? list.map(String) : [];
}

/** Finds profiles that protect nothing. */
export function badProfiles(pod: CheckedPod, field: 'seccompProfile'): SecurityViolation | undefined {
  const bad = (context: Readonly<Record<string, unknown>>): boolean =>
    isMapping(context[field]) && !PROFILES.has(mapping(context[field])['type']);
  const names = pod.named(({ context }) => bad(context));
  const who = setters(bad(pod.context), names);
  if (!who) return undefined;
  const contexts = [pod.context, ...pod.containers.map(({ context }) => context)].filter(bad);
  const types = distinct(contexts.map((context) => String(mapping(context[field])['type'])));
  return { reason: field, detail: `${who} must not set securityContext.${field}.type to ${quotedNames(types)}` };
}

/** Whether a context has a profile that protects. */
export function hasProfile(context: Readonly<Record<string, unknown>>, field: 'seccompProfile'): boolean {
  return isMapping(context[field]) && PROFILES.has(mapping(context[field])['type']);
}

function appArmor(pod: CheckedPod): SecurityViolation | undefined {
  const typeOf = (context: Readonly<Record<string, unknown>>): string[] => {
    const profile = context['appArmorProfile'];
    const type = mapping(profile)['type'];
    return isMapping(profile) && !PROFILES.has(type) ? [String(type ?? '')] : [];
  };
  const names = pod.named(({ context }) => typeOf(context).length > 0);
  const annotations = Object.entries(pod.annotations)
    .filter(([key, value]) => key.startsWith(APPARMOR_PREFIX) && !/^($|runtime\/default$|localhost\/)/.test(value))
    .map(([key, value]) => `${key}=${JSON.stringify(value)}`)
    .toSorted();
  const who = [
    setters(typeOf(pod.context).length > 0, names),
    ...(annotations.length > 0 ? [plural('annotation', annotations)] : []),
  ].filter(Boolean);
  if (who.length === 0) return undefined;
  const types = distinct([pod.context, ...pod.containers.map(({ context }) => context)].flatMap(typeOf));
  const values = [...types, ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', values),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quotedNames(values)}`,
  };
}

function hostNamespaces({ spec }: CheckedPod): SecurityViolation | undefined {
  const used = ['hostNetwork', 'hostPID', 'hostIPC'].filter((field) => spec[field] === true);
  if (used.length === 0) return undefined;
  return { reason: 'host namespaces', detail: used.map((field) => `${field}=true`).join(', ') };
}

function hostPorts(pod: CheckedPod): SecurityViolation | undefined {
  const portsOf = ({ fields: { ports } }: CheckedContainer): string[] =>
    (Array.isArray(ports) ? ports : [])
      .map((port) => mapping(port)['hostPort'])
      .filter(Boolean)
      .map(String);
  const names = pod.named((container) => portsOf(container).length > 0);
  const ports = distinct(pod.containers.flatMap(portsOf));
  return containerViolation('hostPort', names, `${uses(names)} ${plural('hostPort', ports)} ${ports.join(', ')}`);
}

function hostProbes(pod: CheckedPod): SecurityViolation | undefined {
  const hostsOf = ({ fields }: CheckedContainer): string[] => {
    const { postStart, preStop } = mapping(fields['lifecycle']);
    const handlers = [fields['livenessProbe'], fields['readinessProbe'], fields['startupProbe'], postStart, preStop];
    return handlers
      .flatMap((each) => [mapping(each)['httpGet'], mapping(each)['tcpSocket']])
      .map((each) => mapping(each)['host'])
      .filter((host): host is string => typeof host === 'string' && host !== '');
  };
  const names = distinct(pod.named((container) => hostsOf(container).length > 0));
  const hosts = distinct(pod.containers.flatMap(hostsOf));
  const rule = `${uses(names)} ${plural('probe or lifecycle host', hosts)} ${quotedNames(hosts)}`;
  return containerViolation('probe or lifecycle host', names, rule);
}

function privileged(pod: CheckedPod): SecurityViolation | undefined {
  const names = pod.named(({ context }) => context['privileged'] === true);
  return containerViolation('privileged', names, 'must not set securityContext.privileged=true');
}

/** Finds containers that see more of `/proc` than usual. */
export function unmaskedProc(pod: CheckedPod): SecurityViolation | undefined {
  const typeOf = ({ context: { procMount: type } }: CheckedContainer): string[] =>
    typeof type === 'string' && type !== 'Default' ? [type] : [];
  const names = pod.named((container) => typeOf(container).length > 0);
  const types = distinct(pod.containers.flatMap(typeOf));
  return containerViolation('procMount', names, `must not set securityContext.procMount to ${quotedNames(types)}`);
}

function seLinux(pod: CheckedPod): SecurityViolation | undefined {
  const optionsOf = (context: Readonly<Record<string, unknown>>): { type: string; user: boolean; role: boolean } => {
    const { type, user, role } = mapping(context['seLinuxOptions']);
    return { type: typeof type === 'string' ? type : '', user: !!user, role: !!role };
  };
  const bad = (context: Readonly<Record<string, unknown>>): boolean => {
    const { type, user, role } = optionsOf(context);
    return user || role || !SELINUX_TYPES.has(type);
  };
  const names = pod.named(({ context }) => bad(context));
  const who = setters(bad(pod.context), names);
  if (!who) return undefined;
  const options = [pod.context, ...pod.containers.map(({ context }) => context)].map(optionsOf);
  const types = distinct(options.map(({ type }) => type).filter((type) => !SELINUX_TYPES.has(type)));
  const problems = [
    ...(types.length > 0 ? [`${plural('type', types)} ${quotedNames(types)}`] : []),
    ...(options.some(({ user }) => user) ? ['user may not be set'] : []),
    ...(options.some(({ role }) => role) ? ['role may not be set'] : []),
  ];
  const detail = `${who} set forbidden securityContext.seLinuxOptions: ${problems.join('; ')}`;
  return { reason: 'seLinuxOptions', detail };
}

function sysctls({ context }: CheckedPod): SecurityViolation | undefined {
  const { sysctls: list } = context;
  const names = (Array.isArray(list) ? list : []).map((each) => String(mapping(each)['name']));
  const forbidden = names.filter((name) => !SYSCTLS.has(name));
  return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
}

function windowsHostProcess(pod: CheckedPod): SecurityViolation | undefined {
  const bad = (context: Readonly<Record<string, unknown>>): boolean =>
    mapping(context['windowsOptions'])['hostProcess'] === true;
  const who = setters(
    bad(pod.context),
    pod.named(({ context }) => bad(context)),
  );
  const rule = 'must not set securityContext.windowsOptions.hostProcess=true';
  return who ? { reason: 'hostProcess', detail: `${who} ${rule}` } : undefined;
}

function uses(names: readonly string[]): string {
  return names.length === 1 ? 'uses' : 'use';
}
