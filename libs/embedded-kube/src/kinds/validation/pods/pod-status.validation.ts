import { isIP } from 'node:net';
import { qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, itemsOf, structOf, textOf, type Values } from '../field.report.js';
import { validateAddress } from '../text.rules.js';

const SYSTEM_CONDITIONS = new Set(['PodScheduled', 'Ready', 'Initialized']);

/** Checks the status of a pod that is written; the spec is that of the pod before. */
export function validatePodStatus(report: FieldReport, status: Values, old: Values, spec: Values): void {
  validateConditions(report, status);
  validateNomination(report, status, old, spec);
  if (Number(status['observedGeneration'] ?? 0) < 0) {
    report.invalid('status.observedGeneration', status['observedGeneration'], 'must be a non-negative integer');
  }
  if (status['qosClass'] !== old['qosClass']) {
    report.invalid('status.qosClass', status['qosClass'] ?? '', 'field is immutable');
  }
  validateTerminated(report, status, old, spec);
  validateClaims(report, itemsOf(status['resourceClaimStatuses']), itemsOf(spec['resourceClaims']));
  validateAddresses(report, 'podIPs', status, old);
  const [first] = itemsOf(status['hostIPs']);
  if (first && textOf(status['hostIP']) !== textOf(first['ip'])) {
    report.invalid('status.hostIPs[0].ip', textOf(first['ip']), 'must be equal to `hostIP`');
  }
  validateAddresses(report, 'hostIPs', status, old);
}

/** Checks that conditions of users have names with a domain, unlike those of the system. */
function validateConditions(report: FieldReport, status: Values): void {
  for (const [index, { type, observedGeneration }] of itemsOf(status['conditions']).entries()) {
    const at = `status.conditions[${index}]`;
    if (Number(observedGeneration) < 0) {
      report.invalid(`${at}.observedGeneration`, observedGeneration, 'must be a non-negative integer');
    }
    if (!SYSTEM_CONDITIONS.has(textOf(type))) report.named(`${at}.Type`, type, qualifiedName);
  }
}

function validateNomination(report: FieldReport, status: Values, old: Values, spec: Values): void {
  const nominated = textOf(status['nominatedNodeName']);
  if (!nominated || nominated === textOf(old['nominatedNodeName'])) return;
  report.named('status.nominatedNodeName', nominated, subdomain);
  if (spec['nodeName']) {
    report.forbidden('status.nominatedNodeName', 'may not be set on pods that are already bound to a node');
  }
}

/** Checks that a container that has ended starts again only if the policy or a rule of the pod or of the container restarts it. */
function validateTerminated(report: FieldReport, status: Values, old: Values, spec: Values): void {
  const containers = itemsOf(spec['containers']);
  // The kubelet applies the rules for single containers, whose meaning it knows.
  if (
    spec['restartPolicy'] === 'Always' ||
    containers.some((each) => each['restartPolicyRules'] || each['restartPolicy'])
  ) {
    return;
  }
  const statuses = itemsOf(status['containerStatuses']);
  for (const [index, { name, state }] of itemsOf(old['containerStatuses']).entries()) {
    const terminated = structOf(structOf(state)?.['terminated']);
    if (!terminated) continue;
    if (spec['restartPolicy'] === 'OnFailure' && Number(terminated['exitCode'] ?? 0) !== 0) continue;
    const next = statuses.find((each) => each['name'] === name);
    if (!next || structOf(structOf(next['state'])?.['terminated'])) continue;
    report.forbidden(`status.containerStatuses[${index}].state`, 'may not be transitioned to non-terminated state');
  }
}

function validateClaims(report: FieldReport, statuses: readonly Values[], claims: readonly Values[]): void {
  const seen = new Set<unknown>();
  for (const [index, { name, resourceClaimName }] of statuses.entries()) {
    const at = `status.resourceClaimStatuses[${index}]`;
    if (!claims.some((claim) => claim['name'] === name)) {
      report.invalid(`${at}.name`, name, 'must match the name of an entry in `spec.resourceClaims`');
    }
    if (seen.has(name)) report.duplicate(`${at}.name`, name);
    seen.add(name);
    if (resourceClaimName !== undefined) report.named(`${at}.resourceClaimName`, resourceClaimName, subdomain);
  }
}

/** Checks addresses; those that were there before stay, and there is one of each family. */
function validateAddresses(report: FieldReport, field: 'podIPs' | 'hostIPs', status: Values, old: Values): void {
  const addresses = itemsOf(status[field]).map(({ ip }) => textOf(ip));
  const known = new Set(itemsOf(old[field]).map(({ ip }) => ip));
  for (const [index, address] of addresses.entries()) {
    if (!known.has(address)) validateAddress(report, `status.${field}[${index}]`, address);
  }
  const families = new Set(addresses.map((address) => isIP(address)));
  if (addresses.length > 1 && (families.size < 2 || addresses.length > 2)) {
    const shown = addresses.map((address) => ({ IP: address }));
    report.invalid(`status.${field}`, shown, 'may specify no more than one IP for each IP family');
  }
}
