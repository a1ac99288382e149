import { isIP } from 'node:net';
import { type FieldReport, textOf, textsOf, type Values } from '../field.report.js';
import { addressOf, validateAddress } from '../text.rules.js';

/** Reports addresses and their families that do not fit together. */
export function validateAddresses(report: FieldReport, spec: Values): void {
  if (spec['type'] === 'ExternalName') return;
  const [first, all] = [textOf(spec['clusterIP']), textsOf(spec['clusterIPs'])];
  if (first && all.length === 0) report.required('spec.clusterIPs');
  else if (first && all[0] !== first) report.invalid('spec.clusterIPs', all, 'first value must match `clusterIP`');
  else if (!first && all.length > 0) {
    report.invalid('spec.clusterIPs', all, 'must be empty when `clusterIP` is not specified');
  }
  const families = textsOf(spec['ipFamilies']);
  for (const [index, family] of families.entries()) {
    report.oneOf(`spec.ipFamilies[${index}]`, family, ['IPv4', 'IPv6']);
    if (families.indexOf(family) < index) report.duplicate(`spec.ipFamilies[${index}]`, family);
  }
  const policies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
  report.oneOfOptional('spec.ipFamilyPolicy', spec['ipFamilyPolicy'], policies);
  if (all[0] === 'None' && all.length > 1) {
    report.invalid('spec.clusterIPs', all, "'None' must be the first and only value");
  }
  const found = report.errors.length;
  for (const [index, address] of all.entries()) {
    if (index > 0 || address !== 'None') validateAddress(report, `spec.clusterIPs[${index}]`, address);
  }
  if (all.length > 2) report.invalid('spec.clusterIPs', all, 'may only hold up to 2 values');
  const isReadable = report.errors.length === found;
  if (isReadable && all.length === 2 && all[0] !== 'None' && isIP(all[0]!) === isIP(all[1]!)) {
    report.invalid('spec.clusterIPs', all, 'may specify no more than one IP for each IP family');
  }
  if (isReadable) validateFamilies(report, all, families);
}

function validateFamilies(report: FieldReport, all: readonly string[], families: readonly string[]): void {
  if (all[0] === 'None') return;
  for (const [index, address] of all.entries()) {
    const family = families[index];
    const isSixth = isIP(addressOf(address) ?? '') === 6;
    if ((family === 'IPv4' && isSixth) || (family === 'IPv6' && !isSixth)) {
      const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
      report.invalid(`spec.clusterIPs[${index}]`, address, detail);
    }
  }
}

/** Reports a first address that changes, and a second one that goes without being released. */
export function validateKeptAddresses(report: FieldReport, spec: Values, old: Values): void {
  if (isExternal(spec, old) || (isHeadless(spec) && isHeadless(old))) return;
  const [now, before] = [textsOf(spec['clusterIPs']), textsOf(old['clusterIPs'])];
  if (now.length === before.length) {
    for (const [index, address] of before.entries()) {
      if (address !== now[index]) report.invalid(`spec.clusterIPs[${index}]`, now, 'may not change once set');
    }
    return;
  }
  if (now.length === 0) report.invalid('spec.clusterIPs[0]', now, 'primary clusterIP can not be unset');
  else if (before.length > 0 && now[0] !== before[0]) {
    report.invalid('spec.clusterIPs[0]', now, 'may not change once set');
  }
  if (now.length === 1 && before.length > 1) validateRelease(report, spec, 'clusterIP');
}

/** Reports a first family that changes, and a second one that goes without being released. */
export function validateKeptFamilies(report: FieldReport, spec: Values, old: Values): void {
  if (isExternal(spec, old) || isHeadless(spec) || isHeadless(old)) return;
  const [now, before] = [textsOf(spec['ipFamilies']), textsOf(old['ipFamilies'])];
  const path = 'spec.ipFamilies[0]';
  if (now.length === before.length) {
    for (const [index, family] of before.entries()) {
      if (family !== now[index]) report.invalid(path, now, 'may not change once set');
    }
    return;
  }
  if (now.length > 0 && before.length > 0 && now[0] !== before[0]) {
    report.invalid(path, spec['clusterIPs'], 'may not change once set');
  }
  if (now.length === 1 && before.length > 1) validateRelease(report, spec, 'ipFamily');
}

function validateRelease(report: FieldReport, { ipFamilyPolicy }: Values, what: string): void {
  if (ipFamilyPolicy === 'SingleStack') return;
  const detail = `must be set to 'SingleStack' when releasing the secondary ${what}`;
  report.invalid('spec.ipFamilyPolicy', ipFamilyPolicy, detail);
}

function isExternal(spec: Values, old: Values): boolean {
  return spec['type'] === 'ExternalName' || old['type'] === 'ExternalName';
}

/** Whether a service has no address. */
export function isHeadless({ clusterIP, clusterIPs }: Values): boolean {
  return clusterIP === 'None' || textsOf(clusterIPs)[0] === 'None';
}
