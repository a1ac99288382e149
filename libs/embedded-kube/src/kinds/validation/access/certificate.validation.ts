import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { label, subdomain } from '../../../resources/name.rules.js';
import { describeRequestError } from './certificate-request.parser.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';

const USAGES = [
  'any',
  'cert sign',
  'client auth',
  'code signing',
  'content commitment',
  'crl sign',
  'data encipherment',
  'decipher only',
  'digital signature',
  'email protection',
  'encipher only',
  'ipsec end system',
  'ipsec tunnel',
  'ipsec user',
  'key agreement',
  'key encipherment',
  'microsoft sgc',
  'netscape sgc',
  'ocsp signing',
  's/mime',
  'server auth',
  'signing',
  'timestamping',
];
const DECISIONS = ['Approved', 'Denied', 'Failed'];
const LEGACY = 'kubernetes.io/legacy-unknown';
const SHORTEST = 600;

/** Checks a request for a certificate; its creator cannot approve it at the same time. */
export function validateCertificateRequest(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const spec = structOf(object['spec']) ?? {};
  if (!previous || !isSameContent(spec, previous['spec'])) validateSpec(report, spec);
  const conditions = conditionsOf(object);
  validateConditions(report, 'status.conditions', conditions);
  if (!previous) return;
  const old = conditionsOf(previous);
  for (const type of DECISIONS) {
    const [now, before] = [conditions, old].map((list) => list.filter((each) => each['type'] === type).length);
    if (now! >= before!) continue;
    report.forbidden('status.conditions', `updates may not remove a condition of type ${JSON.stringify(type)}`);
  }
}

function validateSpec(report: FieldReport, spec: Values): void {
  const problem = describeRequestError(Buffer.from(textOf(spec['request']), 'base64').toString('latin1'));
  if (problem !== undefined) report.invalid('spec.request', spec['request'], problem);
  const usages = textsOf(spec['usages']);
  if (usages.length === 0) report.required('spec.usages');
  for (const [index, usage] of usages.entries()) report.oneOf(`spec.usages[${index}]`, usage, USAGES);
  for (const [index, usage] of usages.entries()) {
    if (usages.indexOf(usage) < index) report.duplicate(`spec.usages[${index}]`, usage);
  }
  const signer = textOf(spec['signerName']);
  if (signer === LEGACY) {
    report.invalid('spec.signerName', signer, 'the legacy signerName is not allowed via this API version');
  } else validateSignerName(report, 'spec.signerName', signer);
  const seconds = spec['expirationSeconds'];
  if (seconds === undefined || Number(seconds) >= SHORTEST) return;
  report.invalid('spec.expirationSeconds', seconds, 'may not specify a duration less than 600 seconds (10 minutes)');
}

function validateSignerName(report: FieldReport, path: string, signer: string): void {
  if (!signer) return report.required(path);
  const [domain = '', name = '', ...others] = signer.split('/');
  if (others.length > 0 || !signer.includes('/')) {
    const rule = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return report.invalid(path, signer, rule);
  }
  if (domain.length > 253) report.tooLong(path, 253);
  const wrong = domain.split('.').find((part) => label(part).length > 0);
  for (const problem of wrong === undefined ? [] : label(wrong)) {
    report.invalid(path, domain, `validating label ${JSON.stringify(wrong)}: ${problem}`);
  }
  if (!domain.includes('.')) {
    report.invalid(path, domain, 'should be a domain with at least two segments separated by dots');
  }
  const unfit = name.split('.').find((part) => subdomain(part).length > 0);
  for (const problem of unfit === undefined ? [] : subdomain(unfit)) {
    report.invalid(path, name, `validating label ${JSON.stringify(unfit)}: ${problem}`);
  }
}

function validateConditions(report: FieldReport, path: string, conditions: readonly Values[]): void {
  const types = new Set<string>();
  for (const [index, { type, status }] of conditions.entries()) {
    const name = textOf(type);
    const at = `${path}[${index}]`;
    report.requiredText(`${at}.type`, name);
    report.oneOfRequired(`${at}.status`, status, DECISIONS.includes(name) ? ['True'] : ['False', 'True', 'Unknown']);
    const opposite = name === 'Approved' ? 'Denied' : name === 'Denied' ? 'Approved' : undefined;
    if (opposite !== undefined && types.has(opposite)) {
      report.invalid(path, name, 'Approved and Denied conditions are mutually exclusive');
    }
    if (types.has(name)) report.duplicate(`${at}.type`, name);
    types.add(name);
  }
}

function conditionsOf(object: Draft | KubeObject): Values[] {
  return itemsOf(structOf(object['status'])?.['conditions']);
}
