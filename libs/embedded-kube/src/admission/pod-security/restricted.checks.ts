import { isMapping, mapping } from '../../common/json.values.js';
import {
  badProfiles,
  BASELINE_CHECKS,
  capabilitiesOf,
  hasProfile,
  REPLACED_CHECKS,
  unmaskedProc,
} from './baseline.checks.js';
import {
  type CheckedPod,
  containerNames,
  containerViolation,
  distinct,
  plural,
  quotedNames,
  type SecurityCheck,
  type SecurityViolation,
  setters,
} from './security.check.js';

const VOLUMES = 'configMap csi downwardAPI emptyDir ephemeral image persistentVolumeClaim projected secret'.split(' ');

const replaced = new Set<SecurityCheck>(Object.values(REPLACED_CHECKS));

/** The checks of the standard `restricted`: those of `baseline`, some of them replaced, and its own. */
export const RESTRICTED_CHECKS: readonly SecurityCheck[] = [
  ...BASELINE_CHECKS.filter((check) => !replaced.has(check)),
  privilegeEscalation,
  capabilities,
  unmaskedProc,
  volumeTypes,
  nonRoot,
  rootUser,
  seccomp,
];

function privilegeEscalation(pod: CheckedPod): SecurityViolation | undefined {
  if (pod.isWindows) return undefined;
  const names = pod.named(({ context }) => context['allowPrivilegeEscalation'] !== false);
  const rule = 'must set securityContext.allowPrivilegeEscalation=false';
  return containerViolation('allowPrivilegeEscalation != false', names, rule);
}

function capabilities(pod: CheckedPod): SecurityViolation | undefined {
  if (pod.isWindows) return undefined;
  const keeping = pod.named((container) => !capabilitiesOf(container, 'drop').includes('ALL'));
  const added = pod.containers.map((container) => ({
    name: container.name,
    forbidden: capabilitiesOf(container, 'add').filter((name) => name !== 'NET_BIND_SERVICE'),
  }));
  const adding = added.filter(({ forbidden }) => forbidden.length > 0);
  const names = distinct(adding.flatMap(({ forbidden }) => forbidden));
  const details = [
    ...(keeping.length > 0 ? [`${containerNames(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [
          `${containerNames(adding.map(({ name }) => name))} must not include ${quotedNames(names)} in securityContext.capabilities.add`,
        ]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

function volumeTypes({ volumes }: CheckedPod): SecurityViolation | undefined {
  const bad = volumes.filter((volume) => !VOLUMES.some((type) => isMapping(volume[type])));
  if (bad.length === 0) return undefined;
  const names = bad.map(({ name }) => String(name));
  const types = distinct(bad.map((volume) => Object.keys(volume).find((key) => key !== 'name') ?? 'unknown'));
  const verb = names.length === 1 ? 'uses' : 'use';
  const detail = `${plural('volume', names)} ${quotedNames(names)} ${verb} restricted volume ${plural('type', types)} ${quotedNames(types)}`;
  return { reason: 'restricted volume types', detail };
}

function nonRoot(pod: CheckedPod): SecurityViolation | undefined {
  if (pod.hasOwnUsers) return undefined;
  const reason = 'runAsNonRoot != true';
  const common = pod.context['runAsNonRoot'];
  const who = setters(
    common === false,
    pod.named(({ context }) => context['runAsNonRoot'] === false),
  );
  if (who) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  const lacking = common === true ? [] : pod.named(({ context }) => context['runAsNonRoot'] === undefined);
  if (lacking.length === 0) return undefined;
  return { reason, detail: `pod or ${containerNames(lacking)} must set securityContext.runAsNonRoot=true` };
}

function rootUser(pod: CheckedPod): SecurityViolation | undefined {
  if (pod.hasOwnUsers) return undefined;
  const isRoot = (context: Readonly<Record<string, unknown>>): boolean => context['runAsUser'] === 0;
  const who = setters(
    isRoot(pod.context),
    pod.named(({ context }) => isRoot(context)),
  );
  return who ? { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` } : undefined;
}

function seccomp(pod: CheckedPod): SecurityViolation | undefined {
  if (pod.isWindows) return undefined;
  const field = 'seccompProfile';
  const wrong = badProfiles(pod, field);
  if (wrong) return wrong;
  if (hasProfile(pod.context, field)) return undefined;
  const lacking = pod.named(({ context }) => !isMapping(mapping(context)[field]));
  if (lacking.length === 0) return undefined;
  const rule = 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"';
  return { reason: field, detail: `pod or ${containerNames(lacking)} ${rule}` };
}
