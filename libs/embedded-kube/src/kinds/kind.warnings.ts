import { mapping } from '../common/json.values.js';

type Values = Readonly<Record<string, unknown>>;

/** Tells what the writer of an object should know, by `plural.group`: it is accepted, but will not do what it seems to. */
export const KIND_WARNINGS: Readonly<Record<string, (object: Values) => readonly string[]>> = {
  secrets: warnOfCertificates,
  persistentvolumeclaims: warnOfFractions,
  'endpointslices.discovery.k8s.io': ({ addressType }) =>
    addressType === 'FQDN' ? ['spec.addressType: FQDN endpoints are deprecated'] : [],
};

function warnOfCertificates({ type, data }: Values): readonly string[] {
  if (type !== 'kubernetes.io/tls') return [];
  const [certificate, key] = ['tls.crt', 'tls.key'].map((name) => {
    return Buffer.from(String(mapping(data)[name] ?? ''), 'base64').toString('latin1');
  });
  if (!certificate!.includes('-----BEGIN ')) return ['tls: failed to find any PEM data in certificate input'];
  return key!.includes('-----BEGIN ') ? [] : ['tls: failed to find any PEM data in key input'];
}

function warnOfFractions({ spec }: Values): readonly string[] {
  const resources = mapping(mapping(spec)['resources']);
  return ['requests', 'limits'].flatMap((part) => {
    const storage = mapping(resources[part])['storage'];
    if (typeof storage !== 'string' || !/[mnu]$/.test(storage)) return [];
    const problem = `fractional byte value ${JSON.stringify(storage)} is invalid, must be an integer`;
    return [`spec.resources.${part}[storage]: ${problem}`];
  });
}
