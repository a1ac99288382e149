import { isIPv4, isIPv6 } from 'node:net';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import { ipAddress, label, labelValue, qualifiedName, subdomain } from '../../../resources/name.rules.js';
import { type FieldReport, isSameContent, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateLabels } from '../selector.validation.js';
import { addressOf, isAddress, validateAddress } from '../text.rules.js';

const ADDRESS_TYPES = ['FQDN', 'IPv4', 'IPv6'];
const PROTOCOLS = ['SCTP', 'TCP', 'UDP'];
const MOST = { endpoints: 1000, addresses: 100, ports: 20_000, topology: 16, hints: 8 };

export function validateEndpointSlice(report: FieldReport, object: Draft, previous: KubeObject | undefined): void {
  const { addressType } = object;
  report.oneOfRequired('addressType', addressType, ADDRESS_TYPES);
  validatePorts(report, 'ports', itemsOf(object['ports']));
  const isChanged = !previous || !isSameContent(object['endpoints'], previous['endpoints']);
  if (isChanged) validateEndpoints(report, 'endpoints', itemsOf(object['endpoints']), textOf(addressType));
  if (previous) report.unchanged('addressType', addressType ?? '', previous['addressType']);
}

function validatePorts(report: FieldReport, path: string, ports: readonly Values[]): void {
  if (ports.length > MOST.ports) return report.tooMany(path, ports.length, MOST.ports);
  const names = new Set<string>();
  for (const [index, port] of ports.entries()) {
    const at = `${path}[${index}]`;
    const name = textOf(port['name']);
    if (name) report.named(`${at}.name`, name, label);
    if (names.has(name)) report.duplicate(`${at}.name`, name);
    names.add(name);
    report.oneOf(`${at}.protocol`, port['protocol'], PROTOCOLS);
    if (port['appProtocol'] !== undefined) report.named(`${at}.appProtocol`, port['appProtocol'], qualifiedName);
  }
}

function validateEndpoints(report: FieldReport, path: string, endpoints: readonly Values[], type: string): void {
  if (endpoints.length > MOST.endpoints) return report.tooMany(path, endpoints.length, MOST.endpoints);
  for (const [index, endpoint] of endpoints.entries()) {
    const at = `${path}[${index}]`;
    const addresses = textsOf(endpoint['addresses']);
    if (addresses.length === 0) report.required(`${at}.addresses`, 'must contain at least 1 address');
    if (addresses.length > MOST.addresses) report.tooMany(`${at}.addresses`, addresses.length, MOST.addresses);
    for (const [position, address] of addresses.entries()) {
      validateTyped(report, `${at}.addresses`, position, address, type);
    }
    if (endpoint['nodeName'] !== undefined) report.named(`${at}.nodeName`, endpoint['nodeName'], subdomain);
    const topology = structOf(endpoint['deprecatedTopology']) ?? {};
    const size = Object.keys(topology).length;
    if (size > MOST.topology) report.tooMany(`${at}.deprecatedTopology`, size, MOST.topology);
    validateLabels(report, `${at}.deprecatedTopology`, topology);
    if (endpoint['hostname'] !== undefined) report.named(`${at}.hostname`, endpoint['hostname'], label);
    const hints = structOf(endpoint['hints']);
    if (hints) validateHints(report, `${at}.hints`, hints);
  }
}

function validateTyped(report: FieldReport, path: string, index: number, address: string, type: string): void {
  const at = `${path}[${index}]`;
  if (type === 'FQDN') return validateDomain(report, at, address);
  if (type !== 'IPv4' && type !== 'IPv6') return;
  const found = report.errors.length;
  if (type === 'IPv4') validateAddress(report, at, address);
  else report.named(at, address, ipAddress);
  if (report.errors.length > found) return;
  const fits = type === 'IPv4' ? isIPv4(addressOf(address) ?? '') : isIPv6(address);
  if (!fits) report.invalid(path, address, `must be an ${type} address`);
  validateEndpointAddress(report, at, address);
}

/** Checks an address at which an endpoint can be reached from other machines. */
export function validateEndpointAddress(report: FieldReport, path: string, text: string): void {
  if (!isAddress(text)) return report.invalid(path, text, 'must be a valid IP address');
  const address = addressOf(text) ?? text;
  if (address === '0.0.0.0' || /^[0:]+$/.test(address)) {
    report.invalid(path, text, `may not be unspecified (${text})`);
  }
  if (address.startsWith('127.') || /^(0*:)+0*1$/.test(address)) {
    report.invalid(path, text, 'may not be in the loopback range (127.0.0.0/8, ::1/128)');
  }
  if (address.startsWith('169.254.') || /^fe[89ab][0-9a-f]:/i.test(address)) {
    report.invalid(path, text, 'may not be in the link-local range (169.254.0.0/16, fe80::/10)');
  }
  if (address.startsWith('224.0.0.') || /^ff[0-9a-f]2:/i.test(address)) {
    report.invalid(path, text, 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)');
  }
}

function validateDomain(report: FieldReport, path: string, text: string): void {
  if (!text) return report.required(path);
  const name = text.replace(/\.$/, '');
  const problems = subdomain(name);
  const parts = name.split('.');
  if (problems.length > 0) return report.invalid(path, name, problems.join(','));
  if (parts.length < 2) {
    return report.invalid(path, name, 'should be a domain with at least two segments separated by dots');
  }
  const wrong = parts.find((part) => label(part).length > 0);
  if (wrong !== undefined) report.invalid(path, wrong, label(wrong).join(','));
}

function validateHints(report: FieldReport, path: string, hints: Values): void {
  for (const [field, rule] of [
    ['forZones', labelValue],
    ['forNodes', subdomain],
  ] as const) {
    const list = itemsOf(hints[field]);
    if (list.length > MOST.hints) return report.tooMany(`${path}.${field}`, list.length, MOST.hints);
    const names = new Set<string>();
    for (const [index, hint] of list.entries()) {
      const name = textOf(hint['name']);
      const at = `${path}.${field}[${index}].name`;
      if (names.has(name)) report.duplicate(at, name);
      names.add(name);
      report.named(at, name, rule);
    }
  }
}
