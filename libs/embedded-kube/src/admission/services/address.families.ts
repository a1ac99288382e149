import { isIP } from 'node:net';
import { countOf, type FieldReport, textsOf } from '../../kinds/validation/field.report.js';
import { validateAddresses } from '../../kinds/validation/networking/service-address.validation.js';
import { addressOf } from '../../kinds/validation/text.rules.js';
import type { ServiceSpec } from './service.fields.js';

/** The only family of addresses of this cluster: IPv4. */
const CONFIGURED = 'IPv4';
const POLICY = 'spec.ipFamilyPolicy';

/** Sets the addresses that a request leaves out, and brings `clusterIP` and `clusterIPs` together. */
export function completeAddresses(spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (!old) {
    if (spec.clusterIP && countOf(spec.clusterIPs) === 0) spec.clusterIPs = [spec.clusterIP];
    return;
  }
  if (old.type !== 'ExternalName' && spec.type !== 'ExternalName') {
    if (!spec.clusterIP && old.clusterIP) spec.clusterIP = old.clusterIP;
    if (countOf(spec.clusterIPs) === 0 && old.clusterIPs) spec.clusterIPs = old.clusterIPs;
  }
  const isSame = (spec.clusterIP ?? '') === (old.clusterIP ?? '');
  if (isSame && countOf(spec.clusterIPs) === 0 && countOf(old.clusterIPs) > 0) spec.clusterIPs = old.clusterIPs;
  // Who changes the one leaves the other as it was.
  if (isSame || !isSameList(spec.clusterIPs, old.clusterIPs)) return;
  if (spec.clusterIP) spec.clusterIPs = [spec.clusterIP];
  else if (old.clusterIP) delete spec.clusterIPs;
}

/** Whether a service prefers two families as before, so that the families that it has are left alone. */
export function keepsFamilies(spec: ServiceSpec, old: ServiceSpec | undefined): boolean {
  return (
    old !== undefined &&
    old.type === spec.type &&
    spec.type !== 'ExternalName' &&
    spec.ipFamilyPolicy === 'PreferDualStack' &&
    (old.ipFamilyPolicy ?? 'PreferDualStack') === 'PreferDualStack' &&
    isSameList(spec.clusterIPs, old.clusterIPs) &&
    isSameList(spec.ipFamilies, old.ipFamilies)
  );
}

/** Chooses the families of a service's addresses; reports those that this cluster has not. */
export function completeFamilies(report: FieldReport, spec: ServiceSpec, old: ServiceSpec | undefined): void {
  if (spec.type === 'ExternalName') return;
  const isFree = spec.clusterIP === 'None' && countOf(spec['selector']) === 0;
  spec.ipFamilyPolicy ??= old?.ipFamilyPolicy ?? (isFree ? 'RequireDualStack' : 'SingleStack');
  validateAddresses(report, spec);
  if (report.errors.length > 0) return;
  if (old) shrink(report, spec, old);
  validatePolicy(report, spec);
  inferFamilies(report, spec);
  if (report.errors.length > 0) return;
  if (isFree) {
    const [first = CONFIGURED, ...rest] = textsOf(spec.ipFamilies);
    const isSingle = rest.length > 0 || spec.ipFamilyPolicy === 'SingleStack';
    spec.ipFamilies = [first, ...(isSingle ? rest : [first === 'IPv4' ? 'IPv6' : 'IPv4'])];
    return;
  }
  if (spec.ipFamilyPolicy === 'RequireDualStack') {
    report.invalid(POLICY, spec.ipFamilyPolicy, 'this cluster is not configured for dual-stack services');
  }
  for (const [index, family] of textsOf(spec.ipFamilies).entries()) {
    if (family !== CONFIGURED) report.invalid(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster');
  }
  if (countOf(spec.ipFamilies) === 0) spec.ipFamilies = [CONFIGURED];
}

/** Removes the second address and family of a service that is changed to one family. */
function shrink(report: FieldReport, spec: ServiceSpec, old: ServiceSpec): void {
  const fields = [
    ['clusterIPs', 'cluster IP'],
    ['ipFamilies', 'IP family'],
  ] as const;
  for (const [field, what] of fields) {
    const [count, before] = [countOf(spec[field]), countOf(old[field])];
    if (spec.ipFamilyPolicy === 'SingleStack') {
      if (count > 1 && isSameList(spec[field], old[field])) spec[field] = textsOf(spec[field]).slice(0, 1);
    } else if (count > 0 && count < before) {
      report.invalid(POLICY, spec.ipFamilyPolicy, `must be 'SingleStack' to release the secondary ${what}`);
    }
  }
}

function validatePolicy(report: FieldReport, spec: ServiceSpec): void {
  if (spec.ipFamilyPolicy !== 'SingleStack') return;
  const detail = "must be 'RequireDualStack' or 'PreferDualStack' when multiple";
  if (countOf(spec.clusterIPs) === 2) report.invalid(POLICY, 'SingleStack', `${detail} cluster IPs are specified`);
  if (countOf(spec.ipFamilies) === 2) report.invalid(POLICY, 'SingleStack', `${detail} IP families are specified`);
}

/** Derives the families from the addresses that are asked for. */
function inferFamilies(report: FieldReport, spec: ServiceSpec): void {
  const addresses = textsOf(spec.clusterIPs);
  if (addresses[0] === 'None') return;
  for (const [index, address] of addresses.entries()) {
    const families = textsOf(spec.ipFamilies);
    if (index < families.length) continue;
    const family = isIP(addressOf(address) ?? '') === 6 ? 'IPv6' : 'IPv4';
    if (family === CONFIGURED) spec.ipFamilies = [...families, family];
    else report.invalid(`spec.clusterIPs[${index}]`, addresses, `${family} is not configured on this cluster`);
  }
}

function isSameList(left: unknown, right: unknown): boolean {
  return textsOf(left).join() === textsOf(right).join();
}
