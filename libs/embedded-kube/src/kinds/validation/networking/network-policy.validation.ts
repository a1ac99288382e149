import { BlockList, isIP, isIPv6 } from 'node:net';
import { type FieldReport, itemsOf, structOf, textOf, textsOf, type Values } from '../field.report.js';
import { validateLabelSelector } from '../selector.validation.js';
import { addressOf, isRange, portName, validateRange } from '../text.rules.js';

const PROTOCOLS = ['TCP', 'UDP', 'SCTP'];
const TYPES = ['Ingress', 'Egress'];
const DIRECTIONS = [
  ['ingress', 'from'],
  ['egress', 'to'],
] as const;

export function validateNetworkPolicy(report: FieldReport, spec: Values): void {
  validateLabelSelector(report, 'spec.podSelector', spec['podSelector']);
  for (const [direction, peers] of DIRECTIONS) {
    for (const [index, rule] of itemsOf(spec[direction]).entries()) {
      const at = `spec.${direction}[${index}]`;
      for (const [place, port] of itemsOf(rule['ports']).entries()) validatePort(report, `${at}.ports[${place}]`, port);
      for (const [place, peer] of itemsOf(rule[peers]).entries()) {
        validatePeer(report, `${at}.${peers}[${place}]`, peer);
      }
    }
  }
  const types = textsOf(spec['policyTypes']);
  if (types.length > TYPES.length) {
    return report.invalid('spec.policyTypes', types, 'may not specify more than two policyTypes');
  }
  for (const [index, type] of types.entries()) report.oneOf(`spec.policyTypes[${index}]`, type, TYPES);
}

function validatePort(report: FieldReport, path: string, { protocol, port, endPort }: Values): void {
  report.oneOfOptional(`${path}.protocol`, protocol, PROTOCOLS);
  const at = `${path}.endPort`;
  if (port === undefined) {
    if (endPort !== undefined) report.invalid(at, endPort, 'may not be specified when `port` is not specified');
  } else if (typeof port === 'string') {
    if (endPort !== undefined) report.invalid(at, endPort, 'may not be specified when `port` is non-numeric');
    report.named(`${path}.port`, port, portName);
  } else {
    report.port(`${path}.port`, port);
    if (endPort === undefined) return;
    // The real server shows the port here.
    if (Number(endPort) < Number(port)) report.invalid(at, port, 'must be greater than or equal to `port`');
    report.port(at, endPort);
  }
}

function validatePeer(report: FieldReport, path: string, peer: Values): void {
  for (const field of ['podSelector', 'namespaceSelector']) {
    validateLabelSelector(report, `${path}.${field}`, peer[field]);
  }
  const block = structOf(peer['ipBlock']);
  const selectors = [peer['podSelector'], peer['namespaceSelector']].filter(structOf).length;
  if (block) validateBlock(report, `${path}.ipBlock`, block);
  if (!block && selectors === 0) report.required(path, 'must specify a peer');
  else if (block && selectors > 0) report.forbidden(path, 'may not specify both ipBlock and another peer');
}

function validateBlock(report: FieldReport, path: string, block: Values): void {
  const range = textOf(block['cidr']);
  if (!range) return report.required(`${path}.cidr`);
  validateRange(report, `${path}.cidr`, range);
  if (!isRange(range)) return;
  for (const [index, except] of textsOf(block['except']).entries()) {
    const at = `${path}.except[${index}]`;
    validateRange(report, at, except);
    if (isRange(except) && !isInside(except, range)) report.invalid(at, except, 'must be a strict subset of `cidr`');
  }
}

function isInside(inner: string, outer: string): boolean {
  const [[address, bits], [network, outerBits]] = [inner, outer].map((range) => {
    const [text = '', length] = range.split('/');
    return [addressOf(text) ?? text, Number(length)] as const;
  }) as [readonly [string, number], readonly [string, number]];
  if (isIP(address) !== isIP(network) || outerBits >= bits) return false;
  const family = isIPv6(network) ? 'ipv6' : 'ipv4';
  const ranges = new BlockList();
  ranges.addSubnet(network, outerBits, family);
  return ranges.check(address, family);
}
